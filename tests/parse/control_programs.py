"""Random programs of ordered control: Python text that is a kernel for the compiler and a plain function for Python."""

from __future__ import annotations

import random

HEAD = "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n"


class ControlPrograms:
    """Writes one helper of nested loops and branches over a few integers; every name is defined before it is read."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.fuel = 26
        self.fresh = 0

    def text(self) -> str:
        body = self.block(["a", "b", "n"], loops=0, level=1)
        helper = "@intent.fn\ndef walk(a, b, n):\n" + body + "    return a * 3 + b\n"
        kernel = (
            "@intent.kernel\ndef kernel(o: I.Out[I.i64, (3,)], first: I.i64, second: I.i64):\n"
            "    a, b = first, second\n"
            "    o[0] = walk(first, second, I.cast(4, I.i64))\n"
            + self.block(["a", "b"], loops=0, level=1, kernel=True)
            + "    o[1] = a\n    o[2] = b\n"
        )
        return HEAD + helper + "\n\n" + kernel

    def block(self, names: list[str], loops: int, level: int, kernel: bool = False) -> str:
        lines: list[str] = []
        known = list(names)
        for _ in range(self.random.randint(1, 4)):
            lines.append(self.statement(known, loops, level, kernel))
        return "".join(lines)

    def statement(self, known: list[str], loops: int, level: int, kernel: bool) -> str:
        self.fuel -= 1
        indent = "    " * level
        kinds = ["assign", "assign", "if", "for", "while", "exit"]
        kind = "assign" if self.fuel < 0 or level > 4 else self.random.choice(kinds)
        if kind == "if":
            return self.branch(known, loops, level, kernel)
        if kind == "for" and loops < 2:
            return self.loop(known, loops, level, kernel)
        if kind == "while" and loops < 2:
            return self.search(known, loops, level, kernel)
        if kind == "exit" and (loops or not kernel):
            return self.leave(known, loops, level, kernel)
        target = self.random.choice(known[:2])
        return f"{indent}{target} = {self.value(known)}\n"

    def leave(self, known: list[str], loops: int, level: int, kernel: bool) -> str:
        indent = "    " * level
        ways = ["break", "continue"] if loops else []
        if not kernel:
            ways.append(f"return {self.value(known)}")
        return f"{indent}if {self.test(known)}:\n{indent}    {self.random.choice(ways)}\n"

    def branch(self, known: list[str], loops: int, level: int, kernel: bool) -> str:
        indent = "    " * level
        text = f"{indent}if {self.test(known)}:\n" + self.block(known, loops, level + 1, kernel)
        if self.random.random() < 0.4:
            text += f"{indent}elif {self.test(known)}:\n" + self.block(known, loops, level + 1, kernel)
        if self.random.random() < 0.6:
            text += f"{indent}else:\n" + self.block(known, loops, level + 1, kernel)
        return text

    def loop(self, known: list[str], loops: int, level: int, kernel: bool) -> str:
        indent = "    " * level
        self.fresh += 1
        index, inner = f"i{self.fresh}", f"t{self.fresh}"
        body = f"{indent}    {inner} = I.cast({index}, I.i64) + {self.random.choice(known)}\n"
        body += self.block([*known, inner], loops + 1, level + 1, kernel)
        return f"{indent}for {index} in range({self.random.randint(0, 3)}):\n{body}"

    def search(self, known: list[str], loops: int, level: int, kernel: bool) -> str:
        indent = "    " * level
        self.fresh += 1
        count = f"c{self.fresh}"
        test = "True" if self.random.random() < 0.3 else f"{count} < {self.random.randint(0, 3)}"
        stop = f"{indent}    {count} = {count} + 1\n{indent}    if {count} > 4:\n{indent}        break\n"
        body = stop + self.block(known, loops + 1, level + 1, kernel)
        return f"{indent}{count} = 0\n{indent}while {test}:\n{body}"

    def test(self, known: list[str]) -> str:
        sign = self.random.choice(["<", ">", "==", "!="])
        return f"{self.random.choice(known)} % 5 {sign} {self.random.randint(0, 4)}"

    def value(self, known: list[str]) -> str:
        one, other = self.random.choice(known), self.random.choice(known)
        operator = self.random.choice(["+", "-", "*"])
        return f"({one} {operator} {other} + {self.random.randint(-3, 3)}) % 97"
