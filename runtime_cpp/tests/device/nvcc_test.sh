# Compiles each device header alone, and for sm_80 and sm_90a a file that uses all of them; no register may spill.
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
    nvcc -std=c++17 -O3 "$@" \
        -Xcompiler -Wall,-Wextra,-Wconversion,-Werror -Werror all-warnings -Xptxas -v,-warn-spills \
        -I"$include" -o "$folder/out.o" >"$folder/log" 2>&1
}

for header in $(cd "$include" && find intent/device -name '*.cuh' | sort); do
    case $header in
    intent/device/launch.cuh) continue ;; # through device.cuh
    esac
    echo "#include <$header>" >"$folder/header.cu"
    if ! compile -arch=sm_80 -ptx "$folder/header.cu"; then
        echo "$header does not compile"
        cat "$folder/log"
        failures=$((failures + 1))
    fi
done

if ! compile -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a -c "$source"; then
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
