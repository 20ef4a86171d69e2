"""Parentheses by precedence and where readers err; statements as reviewers expect them."""

import pytest

from intent2cuda.emit.layout import render
from intent2cuda.emit.printer import body_doc, expression_doc
from intent2cuda.machine.expressions import (
    Binary,
    Call,
    Conditional,
    Expression,
    Integer,
    Lambda,
    Literal,
    Name,
    Subscript,
    Text,
    Unary,
)
from intent2cuda.machine.statements import (
    Assign,
    Barrier,
    Declare,
    Evaluate,
    For,
    If,
    Return,
    Scope,
    Source,
    SourceLine,
    Statement,
)
from intent2cuda.machine.types import IndexT, Pointer, Scalar
from intent2cuda.types.dtype import F32

A, B, C = Name("a"), Name("b"), Name("c")


def op(operator: str, lhs: Expression, rhs: Expression) -> Binary:
    return Binary(operator, lhs, rhs)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (op("-", A, op("-", B, C)), "a - (b - c)"),
        (op("-", op("-", A, B), C), "a - b - c"),
        (op("+", A, op("+", B, C)), "a + (b + c)"),
        (op("*", op("+", A, B), C), "(a + b) * c"),
        (op("+", op("*", A, B), C), "a * b + c"),
        (op("<<", op("+", A, B), C), "(a + b) << c"),
        (op("+", op("<<", A, B), C), "(a << b) + c"),
        (op("&", op("==", A, B), C), "(a == b) & c"),
        (op("||", op("&&", A, B), C), "(a && b) || c"),
        (op("&&", op("<", A, B), op("<", B, C)), "a < b && b < c"),
        (op("==", op("<", A, B), C), "(a < b) == c"),
        (Unary("-", op("+", A, B)), "-(a + b)"),
        (Unary("-", Literal(-1.0, F32)), "-(-1.0f)"),
        (Unary("!", op("<", A, B)), "!(a < b)"),
        (op("-", A, Literal(-1.0, F32)), "a - -1.0f"),
        (Conditional(op("<", A, B), A, Conditional(C, A, B)), "a < b ? a : (c ? a : b)"),
        (op("+", Conditional(C, A, B), A), "(c ? a : b) + a"),
        (Subscript(A, op("+", B, Integer(1))), "a[b + 1]"),
        (Subscript(op("+", A, B), C), "(a + b)[c]"),
    ],
)
def test_parentheses(expression: Expression, text: str) -> None:
    assert render(expression_doc(expression)) == text


def shown(*statements: Statement) -> str:
    return render(body_doc(statements))


def test_source_comment_has_a_blank_line_before_it_but_not_at_the_top() -> None:
    quote = Source((SourceLine("kernel.py", 11, "y = a + b"),))
    assert shown(quote, Assign(A, B), quote, Assign(A, C)) == (
        "// kernel.py:11  y = a + b\na = b;\n\n// kernel.py:11  y = a + b\na = c;"
    )


@pytest.mark.parametrize("text", ["y = a  # ends in \\", "*/ int x = 1;", "two\nlines", "what??/", "\u202eabc"])
def test_source_comment_cannot_leave_its_line(text: str) -> None:
    line = shown(Source((SourceLine("kernel.py", 1, text),)))
    assert "\n" not in line
    assert not line.endswith("\\")
    assert "*/" not in line and "??/" not in line
    assert line.isascii()


def test_short_lambda_stays_on_its_line_and_a_long_one_hugs_the_call() -> None:
    short = Lambda(((IndexT(), "i"),), (Return(Subscript(A, Name("i"))),))
    assert render(expression_doc(Call("f", (B, short)))) == "f(b, [=](index_t i) { return a[i]; })"
    long = Lambda(((IndexT(), "i"),), (Declare(Scalar(F32), "t", A), Return(Name("t"))))
    assert render(expression_doc(Call("f", (B, long)))) == (
        "f(b, [=](index_t i) {\n    const float t = a;\n    return t;\n})"
    )


def test_loops_pragmas_and_branches() -> None:
    loop = For(IndexT(), "i", Integer(0), Name("N"), Integer(1), (Assign(Subscript(A, Name("i")), B),), ("omp simd",))
    assert shown(Scope((loop,), "omp parallel")) == (
        "#pragma omp parallel\n{\n    #pragma omp simd\n"
        "    for (index_t i = 0; i < N; ++i) {\n        a[i] = b;\n    }\n}"
    )
    branch = If(A, (Assign(B, C),), (If(B, (Assign(B, A),), (Assign(C, A),)),))
    assert shown(branch) == "if (a) {\n    b = c;\n} else if (b) {\n    b = a;\n} else {\n    c = a;\n}"


def test_barrier_says_what_it_separates() -> None:
    assert shown(Barrier("weight is written before mass reads it")) == (
        "__syncthreads();  // weight is written before mass reads it"
    )


def test_pointer_declarations() -> None:
    assert shown(Declare(Pointer(Scalar(F32), const=True), "x_row", A, const=False)) == "const float* x_row = a;"
    assert shown(Declare(Pointer(Scalar(F32), const=False), "x_row", A)) == "float* const x_row = a;"


def test_lines_stay_within_a_hundred_columns() -> None:
    total: Expression = Name("first_term_of_a_long_sum")
    for i in range(8):
        total = op("+", total, Call("intent::exp", (Name(f"term_of_the_sum_{'abcdefgh'[i]}"),)))
    text = shown(Declare(Scalar(F32), "total", total))
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "\n" in text


def test_long_strings_are_split_between_words() -> None:
    sentence = "out must share no memory with image: an element may be read at another coordinate than it is written"
    lines = shown(Evaluate(Call("intent::require_disjoint", (Name("out"), Name("image"), Text(sentence))))).splitlines()
    assert lines[0] == "intent::require_disjoint(" and all(len(line) <= 100 for line in lines)
    assert " ".join(lines).replace('" ', "").replace('"', "").count("written") == 1
    assert "".join(part for line in lines for part in line.split('"')[1::2]) == sentence


def test_arguments_before_a_lambda_break_when_they_do_not_fit() -> None:
    sum_of = Lambda(((IndexT(), "n"),), (Declare(Scalar(F32), "t", A), Return(Name("t"))))
    many = tuple(Call("intent::matrix", (Name(f"operand_{c}"),)) for c in "abcd")
    assert shown(Evaluate(Call("intent::matmul", (*many, sum_of)))) == (
        "intent::matmul(\n    intent::matrix(operand_a), intent::matrix(operand_b), intent::matrix(operand_c),\n"
        "    intent::matrix(operand_d),\n    [=](index_t n) {\n        const float t = a;\n"
        "        return t;\n    });"
    )


def test_note_stands_behind_a_short_line_and_above_a_long_one() -> None:
    assert shown(Declare(Scalar(F32), "t", A, note="why")) == "const float t = a;  // why"
    assert shown(Declare(Scalar(F32), "t", A, note="w" * 90)) == f"// {'w' * 90}\nconst float t = a;"


def test_several_lambdas_stand_one_below_the_other() -> None:
    load = Lambda(((IndexT(), "m"),), (Return(Subscript(Name("left_" * 8), Name("m"))),))
    store = Lambda(((IndexT(), "m"),), (Assign(Subscript(C, Name("m")), Name("m")),))
    flat = "f([=](index_t m) { c[m] = m; }, [=](index_t m) { c[m] = m; });"
    assert shown(Evaluate(Call("f", (store, store)))) == flat
    rows = [
        "f(",
        "    a, b,",
        f"    [=](index_t m) {{ return {'left_' * 8}[m]; }},",
        "    [=](index_t m) { c[m] = m; });",
    ]
    assert shown(Evaluate(Call("f", (A, B, load, store)))) == "\n".join(rows)
