"""Layer 3: from the author's text to typed Kernel IR. The text is read and never imported."""

from intent2cuda.parse.entry import ParsedKernel, parse_kernel, parse_signature
from intent2cuda.parse.kernels import kernel_names
from intent2cuda.parse.signature import Parameter
from intent2cuda.parse.source import Module, load_source

__all__ = ["Module", "Parameter", "ParsedKernel", "kernel_names", "load_source", "parse_kernel", "parse_signature"]
