# Compiles each device header alone, and a file that uses all of them, for sm_80 and sm_90a; no register may spill.
# usage: nvcc_test.sh INCLUDE_FOLDER FILE.cu
include=$1
source=$2
if ! command -v nvcc >/dev/null; then
    echo "nvcc not found: device headers are not compiled for a GPU here"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

compile() {
    nvcc -std=c++17 -O3 -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a \
        -Xcompiler -Wall,-Wextra,-Wconversion,-Werror -Werror all-warnings -Xptxas -v,-warn-spills \
        -I"$include" -c "$1" -o "$folder/out.o" >"$folder/log" 2>&1
}

for header in $(cd "$include" && find intent/device -name '*.cuh' | sort); do
    case $header in
    intent/device/launch.cuh) continue ;; # through device.cuh
    esac
    echo "#include <$header>" >"$folder/header.cu"
    if ! compile "$folder/header.cu"; then
        echo "$header does not compile"
        cat "$folder/log"
        failures=$((failures + 1))
    fi
done

if ! compile "$source"; then
    cat "$folder/log"
    failures=$((failures + 1))
fi
grep -E "Compiling|registers|spill" "$folder/log" | sed 's/^ptxas info *: //'
if grep -qE "[1-9][0-9]* bytes spill" "$folder/log"; then
    echo "registers spill"
    failures=$((failures + 1))
fi
echo "$failures failures"
[ "$failures" -eq 0 ]
