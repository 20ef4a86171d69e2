#include "entry.hpp"

#include <structmember.h>

#include <memory>
#include <new>
#include <optional>
#include <span>

#include "call.hpp"
#include "failure.hpp"
#include "library.hpp"
#include "signature.hpp"

namespace bridge {
namespace {

using NativeCall = int (*)(void* const*);  // returns intent_status
using NativeWorkspace = int (*)(void* const*, std::size_t*);
using LastError = const char* (*)();

// What an Entry holds; immutable, so calls from several threads need no lock.
struct Kernel {
    Signature signature;
    NumpyTypes numpy;      // kept alive by numpy itself
    py::object make_error;  // (kind, message) -> exception
    std::unique_ptr<Library> library;  // none: the entry only checks its arguments
    NativeCall call = nullptr;
    NativeWorkspace workspace = nullptr;  // says how many bytes of workspace a call needs
    LastError last_error = nullptr;
};

struct EntryObject {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Kernel* kernel;
};

FailureKind kind_of_status(int status) {
    switch (status) {  // the values of intent_status
        case 1: return FailureKind::kShape;
        case 2: return FailureKind::kStride;
        case 3: return FailureKind::kAlias;
        case 4: return FailureKind::kCapacity;
        case 5: return FailureKind::kDevice;
        case 7: return FailureKind::kBounds;
        case 8: return FailureKind::kRegion;
        case 9: return FailureKind::kPromise;
        case 10: return FailureKind::kDuplicate;
        case 11: return FailureKind::kRace;
        case 12: return FailureKind::kUninitialised;
        default: return FailureKind::kInternal;
    }
}

// The address that a keyword argument gives; None is 0.
std::intptr_t address_argument(const Signature& signature, const char* name, const char* what, PyObject* value) {
    if (value == Py_None) return 0;
    const auto address = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    if (!address) {
        PyErr_Clear();
        throw Failure(FailureKind::kArgument, signature.kernel + ": `" + name + "` is the address of " + what + ", or None");
    }
    return address.cast<std::intptr_t>();
}

Extras extra_arguments(const Signature& signature, PyObject* const* values, PyObject* keyword_names) {
    Extras extras;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keyword_names); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(keyword_names, i);
        if (signature.has_stream && PyUnicode_CompareWithASCIIString(name, "stream") == 0) {
            extras.stream = address_argument(signature, "stream", "a CUDA stream", values[i]);
        } else if (signature.has_workspace && PyUnicode_CompareWithASCIIString(name, "workspace") == 0) {
            extras.workspace = address_argument(signature, "workspace", "device memory", values[i]);
        } else {
            const char* const taken = signature.has_workspace ? " takes no keyword arguments but `stream` and `workspace`"
                                      : signature.has_stream  ? " takes no keyword argument but `stream`"
                                                              : " takes positional arguments only";
            throw Failure(FailureKind::kArgument, signature.kernel + taken);
        }
    }
    return extras;
}

[[noreturn]] void fail(const Kernel& kernel, int status, const std::string& message) {
    const std::string prefix = kernel.signature.kernel + ": ";
    throw Failure(kind_of_status(status), message.rfind(prefix, 0) == 0 ? message : prefix + message);
}

std::size_t workspace_bytes(const Kernel& kernel, const Call& call) {
    std::size_t bytes = 0;
    const int status = kernel.workspace == nullptr ? 0 : kernel.workspace(call.arguments(), &bytes);
    if (status != 0) fail(kernel, status, kernel.last_error());
    return bytes;
}

void run(const Kernel& kernel, PyObject* const* arguments, std::size_t count, PyObject* keyword_names) {
    const Extras extras =
        keyword_names == nullptr ? Extras{} : extra_arguments(kernel.signature, arguments + count, keyword_names);
    const Call call(kernel.signature, {arguments, count}, extras, kernel.numpy);
    if (kernel.call == nullptr) return;
    if (kernel.signature.has_workspace && extras.workspace == 0) {
        const std::size_t bytes = workspace_bytes(kernel, call);
        if (bytes > 0)
            throw Failure(FailureKind::kArgument, kernel.signature.kernel + " needs a workspace of " +
                                                      std::to_string(bytes) + " bytes: pass its address as `workspace`");
    }
    int status = 0;
    std::string message;
    {
        const py::gil_scoped_release released;
        status = kernel.call(call.arguments());
        if (status != 0) message = kernel.last_error();
    }
    if (status != 0) fail(kernel, status, message);
}

void set_error(const Kernel& kernel, FailureKind kind, const char* message) {
    const auto error = py::reinterpret_steal<py::object>(
        PyObject_CallFunction(kernel.make_error.ptr(), "ss", name_of(kind), message));
    if (error) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

// Runs `body`; a failure becomes the Python error of its kind.
template <class Body>
PyObject* translated(const Kernel& kernel, Body body) {
    try {
        return body();
    } catch (const Failure& failure) {
        set_error(kernel, failure.kind(), failure.what());
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (const std::exception& error) {
        set_error(kernel, FailureKind::kInternal, error.what());
    }
    return nullptr;
}

PyObject* entry_vectorcall(PyObject* self, PyObject* const* arguments, std::size_t flags, PyObject* keyword_names) {
    const Kernel& kernel = *reinterpret_cast<EntryObject*>(self)->kernel;
    return translated(kernel, [&] {
        if (keyword_names != nullptr && PyTuple_GET_SIZE(keyword_names) == 0) keyword_names = nullptr;
        run(kernel, arguments, static_cast<std::size_t>(PyVectorcall_NARGS(flags)), keyword_names);
        return Py_NewRef(Py_None);
    });
}

PyObject* entry_workspace_bytes(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    const Kernel& kernel = *reinterpret_cast<EntryObject*>(self)->kernel;
    return translated(kernel, [&] {
        const Call call(kernel.signature, {arguments, static_cast<std::size_t>(count)}, {}, kernel.numpy);
        return PyLong_FromSize_t(workspace_bytes(kernel, call));
    });
}

std::unique_ptr<Kernel> make_kernel(const py::dict& signature, py::object make_error,
                                    const std::optional<std::string>& library, const std::string& symbol,
                                    const std::string& last_error_symbol, const std::string& workspace_symbol) {
    const py::module_ numpy = py::module_::import("numpy");
    auto kernel = std::make_unique<Kernel>(Kernel{Signature(signature),
                                                  {numpy.attr("ndarray").ptr(), numpy.attr("bool_").ptr()},
                                                  std::move(make_error), nullptr});
    if (library) {
        kernel->library = std::make_unique<Library>(*library);
        kernel->call = kernel->library->function<NativeCall>(symbol);
        kernel->last_error = kernel->library->function<LastError>(last_error_symbol);
        if (!workspace_symbol.empty()) kernel->workspace = kernel->library->function<NativeWorkspace>(workspace_symbol);
    }
    return kernel;
}

PyObject* entry_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
    PyObject *signature = nullptr, *make_error = nullptr;
    const char *library = nullptr, *symbol = "", *last_error = "", *workspace = "";
    static const char* names[] = {"signature",         "make_error",       "library", "symbol",
                                  "last_error_symbol", "workspace_symbol", nullptr};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O|zsss:Entry", const_cast<char**>(names), &PyDict_Type,
                                     &signature, &make_error, &library, &symbol, &last_error, &workspace))
        return nullptr;
    try {
        auto kernel = make_kernel(py::reinterpret_borrow<py::dict>(signature),
                                  py::reinterpret_borrow<py::object>(make_error),
                                  library == nullptr ? std::nullopt : std::optional<std::string>(library), symbol,
                                  last_error, workspace);
        PyObject* self = type->tp_alloc(type, 0);
        if (self == nullptr) return nullptr;
        auto* entry = reinterpret_cast<EntryObject*>(self);
        entry->vectorcall = entry_vectorcall;
        entry->kernel = kernel.release();
        return self;
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (const std::invalid_argument& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

void entry_dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    delete reinterpret_cast<EntryObject*>(self)->kernel;
    type->tp_free(self);
    Py_DECREF(type);
}

PyMemberDef entry_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(EntryObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

constexpr const char* kDoc =
    "A kernel as a callable: checks the arguments, in parameter order and before anything runs, then calls the\n"
    "native function without the GIL. Without a library it only checks. The library stays loaded as long as it lives.";

PyMethodDef entry_methods[] = {
    {"workspace_bytes", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry_workspace_bytes)), METH_FASTCALL,
     "Bytes of workspace that a call with these arguments needs; 0 for a kernel without one."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot entry_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(entry_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(entry_dealloc)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_members, entry_members},
    {Py_tp_methods, entry_methods},
    {Py_tp_doc, const_cast<char*>(kDoc)},
    {0, nullptr},
};

PyType_Spec entry_spec = {
    "intent2cuda._bridge.Entry",
    static_cast<int>(sizeof(EntryObject)),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    entry_slots,
};

}  // namespace

void add_entry_type(py::module_& module) {
    const auto type = py::reinterpret_steal<py::object>(PyType_FromSpec(&entry_spec));
    if (!type) throw py::error_already_set();
    module.add_object("Entry", type);
}

}  // namespace bridge
