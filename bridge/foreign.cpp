// Arrays of other libraries: DLPack and the CUDA array interface.
#include <dlfcn.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "array.hpp"
#include "dlpack.hpp"
#include "failure.hpp"

namespace bridge {
namespace {

bool is_on_device(const dlpack::Device& device) {
    return device.type == dlpack::kCuda || device.type == dlpack::kCudaManaged;
}

bool is_on_host(const dlpack::Device& device) {
    return device.type == dlpack::kCpu || device.type == dlpack::kCudaHost || device.type == dlpack::kCudaManaged;
}

void require_place(const dlpack::Device& device, const Parameter& parameter, const Place& place) {
    if (place.on_device && !is_on_device(device))
        throw Failure(FailureKind::kDevice, parameter.subject + " is in host memory; the kernel runs on a CUDA device");
    if (!place.on_device && !is_on_host(device))
        throw Failure(FailureKind::kDevice, parameter.subject + " is on a device; the kernel runs on the host");
}

// The capsule of the producer; old producers know no `max_version`.
py::capsule export_capsule(py::handle value, const Place& place) {
    py::dict options;
    // The protocol's number of the legacy default stream is 1, of which 0 is CUDA's own spelling.
    if (place.on_device) options["stream"] = py::int_(place.stream == 0 ? 1 : place.stream);
    const py::object method = value.attr("__dlpack__");
    try {
        return method(**options, py::arg("max_version") = py::make_tuple(1, 0));
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_TypeError)) throw;
    }
    return method(**options);
}

// Waits for the work that the producer has queued on its stream.
void synchronise(std::intptr_t stream) {
    using Synchronise = int (*)(void*);
    static const auto call = [] {
        void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        return driver == nullptr ? nullptr : reinterpret_cast<Synchronise>(dlsym(driver, "cuStreamSynchronize"));
    }();
    if (call == nullptr) throw Failure(FailureKind::kDevice, "the CUDA driver cannot be loaded");
    const int status = call(reinterpret_cast<void*>(stream));
    if (status != 0)
        throw Failure(FailureKind::kDevice, "cuStreamSynchronize returned error " + std::to_string(status));
}

}  // namespace

Found find_dlpack(py::handle value, const Parameter& parameter, const Place& place, Keepers& keepers) {
    const auto [device_type, device_id] = value.attr("__dlpack_device__")().cast<std::pair<int, int>>();
    require_place({device_type, device_id}, parameter, place);
    py::capsule capsule = export_capsule(value, place);
    const dlpack::Tensor* tensor = nullptr;
    Found found;
    // The capsule is read but not taken over: its own destructor frees the tensor, after the call.
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
        const auto* managed = capsule.get_pointer<dlpack::ManagedVersioned>();
        if (managed->version.major > 1)
            throw Failure(FailureKind::kArgument, parameter.subject + " comes with an unknown version of DLPack");
        found.writable = (managed->flags & dlpack::kReadOnly) == 0;
        tensor = &managed->tensor;
    } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
        tensor = &capsule.get_pointer<dlpack::Managed>()->tensor;
    } else {
        throw Failure(FailureKind::kArgument, parameter.subject + " returned no DLPack capsule");
    }
    require_place(tensor->device, parameter, place);
    const ElementType type = from_dlpack(tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes);
    if (!(type == *parameter.dtype)) refuse_dtype(parameter, describe(type));
    keepers.keep(std::move(capsule));
    found.data = static_cast<char*>(tensor->data) + tensor->byte_offset;
    found.rank = tensor->rank;
    found.extents = tensor->extents;
    found.strides = tensor->strides;
    found.strides_in_bytes = false;
    return found;
}

Found find_cuda_interface(const py::object& interface, const Parameter& parameter, const Place& place,
                          Keepers& keepers) {
    const auto fields = py::cast<py::dict>(interface);
    const auto typestr = fields["typestr"].cast<std::string>();
    const ElementType type = from_typestr(typestr);
    if (!(type == *parameter.dtype)) refuse_dtype(parameter, typestr);
    const auto [address, read_only] = fields["data"].cast<std::pair<std::uintptr_t, bool>>();
    auto extents = fields["shape"].cast<std::vector<std::int64_t>>();
    Found found;
    found.data = reinterpret_cast<void*>(address);
    found.rank = static_cast<int>(extents.size());
    found.extents = keepers.keep(std::move(extents));
    if (fields.contains("strides") && !fields["strides"].is_none())
        found.strides = keepers.keep(fields["strides"].cast<std::vector<std::int64_t>>());
    found.writable = !read_only;
    if (fields.contains("stream") && !fields["stream"].is_none()) {
        const auto producer = fields["stream"].cast<std::intptr_t>();
        if (producer != (place.stream == 0 ? 1 : place.stream)) synchronise(producer);
    }
    return found;
}

}  // namespace bridge
