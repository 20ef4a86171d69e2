// Several values of one type side by side, each field in an array of its own: what lets a loop over accumulators of
// several fields be vectorised. An array of the structs themselves stays in memory, field by field.
#pragma once

#include <intent/config.hpp>

#include <type_traits>
#include <utility>

namespace intent {

namespace detail {

// Converts to whatever a field is; never called.
struct AnyField {
    template <class Field>
    operator Field() const;
};

template <class T, class Fields, class = void>
constexpr bool kHoldsFields = false;
template <class T, std::size_t... Field>
constexpr bool kHoldsFields<T, std::index_sequence<Field...>,
                            std::void_t<decltype(T{(static_cast<void>(Field), AnyField{})...})>> = true;

// How many fields the struct T has; kMostFields + 1 when there are more.
constexpr std::size_t kMostFields = 8;
template <class T, std::size_t kFields = 1>
constexpr std::size_t field_count() noexcept {
    if constexpr (kFields <= kMostFields && kHoldsFields<T, std::make_index_sequence<kFields + 1>>) {
        return field_count<T, kFields + 1>();
    } else {
        return kFields;
    }
}

// The arrays of all fields, the first one outermost. `get` collects the fields of one lane and makes the struct.
template <int kLanes, class... Fields>
struct FieldLanes {
    template <class T, class... Collected>
    INTENT_HOST_DEVICE T get(int, Collected... collected) const noexcept {
        return T{collected...};
    }
    INTENT_HOST_DEVICE void set(int) noexcept {}
};
template <int kLanes, class First, class... Rest>
struct FieldLanes<kLanes, First, Rest...> : FieldLanes<kLanes, Rest...> {
    First first[kLanes];

    template <class T, class... Collected>
    INTENT_HOST_DEVICE T get(int lane, Collected... collected) const noexcept {
        return FieldLanes<kLanes, Rest...>::template get<T>(lane, collected..., first[lane]);
    }
    INTENT_HOST_DEVICE void set(int lane, First value, Rest... others) noexcept {
        first[lane] = value;
        FieldLanes<kLanes, Rest...>::set(lane, others...);
    }
};

// Calls `use` with the fields of a struct of kFields fields.
template <std::size_t kFields, class T, class Use>
INTENT_HOST_DEVICE auto with_fields(const T& value, Use use) noexcept {
    // clang-format off
    if constexpr (kFields == 1) { const auto& [a] = value; return use(a); }
    else if constexpr (kFields == 2) { const auto& [a, b] = value; return use(a, b); }
    else if constexpr (kFields == 3) { const auto& [a, b, c] = value; return use(a, b, c); }
    else if constexpr (kFields == 4) { const auto& [a, b, c, d] = value; return use(a, b, c, d); }
    else if constexpr (kFields == 5) { const auto& [a, b, c, d, e] = value; return use(a, b, c, d, e); }
    else if constexpr (kFields == 6) { const auto& [a, b, c, d, e, f] = value; return use(a, b, c, d, e, f); }
    else if constexpr (kFields == 7) { const auto& [a, b, c, d, e, f, g] = value; return use(a, b, c, d, e, f, g); }
    else { const auto& [a, b, c, d, e, f, g, h] = value; return use(a, b, c, d, e, f, g, h); }
    // clang-format on
}

template <int kLanes, class T>
auto field_lanes(const T& value) {
    return with_fields<field_count<T>()>(
        value, [](const auto&... fields) { return FieldLanes<kLanes, std::decay_t<decltype(fields)>...>{}; });
}

}  // namespace detail

// kCount values of type T. Structs of at most eight fields are kept by field, anything else value by value.
template <class T, int kCount, class = void>
class Lanes {
public:
    INTENT_HOST_DEVICE T get(int lane) const noexcept { return values_[lane]; }
    INTENT_HOST_DEVICE void set(int lane, T value) noexcept { values_[lane] = value; }

private:
    T values_[kCount];
};

template <class T, int kCount>
class Lanes<T, kCount,
            std::enable_if_t<std::is_class_v<T> && std::is_aggregate_v<T> &&
                             (detail::field_count<T>() <= detail::kMostFields)>> {
public:
    INTENT_HOST_DEVICE T get(int lane) const noexcept { return arrays_.template get<T>(lane); }
    INTENT_HOST_DEVICE void set(int lane, T value) noexcept {
        detail::with_fields<detail::field_count<T>()>(value,
                                                      [&](const auto&... fields) { arrays_.set(lane, fields...); });
    }

private:
    decltype(detail::field_lanes<kCount>(std::declval<T>())) arrays_;
};

}  // namespace intent
