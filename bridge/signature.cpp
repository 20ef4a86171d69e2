#include "signature.hpp"

#include <algorithm>
#include <stdexcept>

namespace bridge {
namespace {

// Index of the name in the list, added when it is new.
int index_of(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    names.push_back(name);
    return static_cast<int>(names.size()) - 1;
}

Quantity quantity(const py::handle& value, std::vector<std::string>& symbols) {
    if (value.is_none()) return {};
    if (py::isinstance<py::str>(value)) return {std::nullopt, index_of(symbols, value.cast<std::string>())};
    return {value.cast<std::int64_t>(), -1};
}

ParameterKind kind_named(const std::string& name) {
    if (name == "in") return ParameterKind::kIn;
    if (name == "out") return ParameterKind::kOut;
    if (name == "inout") return ParameterKind::kInOut;
    if (name == "scalar") return ParameterKind::kScalar;
    throw std::invalid_argument("unknown parameter kind " + name);
}

std::size_t position_of(const std::vector<Parameter>& parameters, const std::string& name) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].name == name && parameters[i].is_array()) return i;
    throw std::invalid_argument("an alias rule names `" + name + "`, which is no array parameter");
}

}  // namespace

Signature::Signature(const py::dict& description) {
    kernel = description["kernel"].cast<std::string>();
    on_device = description["on_device"].cast<bool>();
    has_stream = description["has_stream"].cast<bool>();
    has_workspace = description["has_workspace"].cast<bool>();
    for (const py::handle item : description["parameters"]) {
        const auto entry = py::reinterpret_borrow<py::dict>(item);
        Parameter parameter;
        parameter.name = entry["name"].cast<std::string>();
        parameter.kind = kind_named(entry["kind"].cast<std::string>());
        parameter.dtype = &dtype_named(entry["dtype"].cast<std::string>());
        parameter.subject = kernel + ": parameter `" + parameter.name + "`";
        if (parameter.is_array()) {
            parameter.numpy_dtype = entry["numpy_dtype"];
            for (const py::handle extent : entry["extents"]) parameter.extents.push_back(quantity(extent, symbols));
            for (const py::handle stride : entry["strides"]) parameter.strides.push_back(quantity(stride, symbols));
            if (!parameter.strides.empty() && parameter.strides.size() != parameter.extents.size())
                throw std::invalid_argument(parameter.subject + " has a stride for some axes only");
            parameter.noalias = entry["noalias"].cast<bool>();
            ++array_count;
            axis_count += parameter.rank();
        }
        parameters.push_back(std::move(parameter));
    }
    for (const py::handle item : description["alias_rules"]) {
        const auto [written, other, relation] = item.cast<std::tuple<std::string, std::string, std::string>>();
        if (relation != "disjoint" && relation != "same_or_disjoint")
            throw std::invalid_argument("unknown alias relation " + relation);
        alias_rules.push_back({position_of(parameters, written), position_of(parameters, other),
                               relation == "same_or_disjoint"});
    }
}

}  // namespace bridge
