"""Constants with reasons, assertions, and functions with their comments, as they stand in a file."""

from intent2cuda.emit.functions import assertion, constant, declaration, function
from intent2cuda.machine.expressions import Binary, Integer, Name
from intent2cuda.machine.statements import Return
from intent2cuda.machine.types import Int, Named, Scalar, View
from intent2cuda.machine.unit import Assertion, Constant, Function, FunctionKind, Parameter
from intent2cuda.types.dtype import F32, INDEX

X = Parameter(View(F32, 2, const=True), "x")
N = Parameter(Scalar(INDEX), "n")


def test_reason_of_a_constant_stands_behind_it_or_above_it() -> None:
    assert (
        constant(Constant(Int(), "kTileM", Integer(64), "four warps")).text
        == "constexpr int kTileM = 64;  // four warps"
    )
    long = constant(Constant(Int(), "kTileM", Integer(64), "because " * 15)).text.splitlines()
    assert long[-1] == "constexpr int kTileM = 64;" and all(line.startswith("// because") for line in long[:-1])
    assert max(map(len, long)) <= 100
    assert constant(Constant(Int(), "kTileM", Integer(64), "")).text == "constexpr int kTileM = 64;"


def test_assertion() -> None:
    condition = Binary("==", Binary("%", Name("kTileM"), Integer(4)), Integer(0))
    assert assertion(Assertion(condition, "four at a time")).text == 'static_assert(kTileM % 4 == 0, "four at a time");'
    long = assertion(Assertion(condition, "word " * 30)).text.splitlines()
    assert len(long) > 1 and max(map(len, long)) <= 100


def test_kernel_of_each_target() -> None:
    item = Function(
        FunctionKind.KERNEL,
        Named("void"),
        "k_kernel",
        (X, N),
        (Return(),),
        ("bool kDense",),
        ("x [M, N]",),
        ("kThreads", "kResident"),
    )
    parameters = "intent::View<const float, 2> x, index_t n)\n{\n    return;\n}"
    assert function(item, "cpu").text == f"// x [M, N]\ntemplate <bool kDense>\nvoid k_kernel({parameters}"
    assert function(item, "cuda").text == (
        "// x [M, N]\ntemplate <bool kDense>\n__global__ void __launch_bounds__(kThreads, kResident)\n"
        f"k_kernel({parameters}"
    )


def test_parameters_stand_one_below_the_other_when_they_do_not_fit() -> None:
    many = tuple(Parameter(View(F32, 2, const=True), f"operand_{c}") for c in "abcd")
    text = declaration(Function(FunctionKind.LAUNCHER, Named("void"), "k", many, ()))
    assert text.splitlines()[1] == "       intent::View<const float, 2> operand_b," and text.endswith("operand_d);")


def test_a_declaration_has_room_for_the_name_that_stands_for_index_t() -> None:
    view = Parameter(View(F32, 2, const=False), "u")
    pair = (view, Parameter(View(F32, 2, const=False), "other"), Parameter(Scalar(INDEX), "number_of_steps_taken"))
    text = declaration(Function(FunctionKind.LAUNCHER, Named("void"), "jacobi", pair, ()))
    assert "std::int64_t number_of_steps_taken" in text and max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) == 3


def test_comment_of_a_kernel_stays_on_its_line() -> None:
    item = Function(FunctionKind.KERNEL, Named("void"), "k", (), (), (), ("x [" + "M, " * 60 + "N]",))
    first = function(item, "cpu").text.splitlines()[0]
    assert len(first) <= 100 and first.endswith("...")
