#!/bin/sh
# Runs as root in a fresh Debian, with the packages, the wheel and the examples in the folder of this script: installs, solves,
# builds programs, removes, and looks for files that are left. scripts/test-packages.sh calls it.
set -eu

export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
cd "$(dirname "$0")"
try=$(pwd)
failed() {
    echo "in the fresh Debian: $1" >&2
    exit 1
}
# The records of dpkg and the loader's cache change; nobody else's files may.
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path "$try" -o -path /root \) -prune -o \
        ! -path '/var/lib/dpkg/*' ! -path '/var/log/*' ! -path '/var/cache/*' -print | sort
}
solves() { # name, command: its output must not be empty
    name=$1
    shift
    output=$("$@") || failed "$name"
    [ -n "$output" ] || failed "$name printed nothing"
}

files >before

# Alone, the library needs no other package, and the command not the library.
dpkg --install libmakespan0.1_*.deb
dpkg --purge libmakespan0.1
dpkg --install makespan_*.deb
makespan parallel-machines assembly-40-jobs.pcmax | grep -q optimal || failed "the command does not prove the optimum"
dpkg --install libmakespan0.1_*.deb libmakespan-dev_*.deb
ldconfig -p | grep -q 'libmakespan\.so\.0\.1 ' || failed "the loader does not know the library"

for source in *.c; do
    cc -std=c99 -Wall -Wextra -Werror "$source" -o program $(pkg-config --cflags --libs makespan)
    ldd program | grep -q libmakespan || failed "$source does not link the shared library"
    solves "$source" ./program
    cc -std=c99 "$source" -o program $(pkg-config --cflags --libs makespan-static)
    ! ldd program | grep -q libmakespan || failed "$source links the shared library"
    solves "$source with the static library" ./program
done
c++ -std=c++17 -Wall -Wextra -Werror flow_shop.cpp -o program -lmakespan
solves "C++ with a plain compiler line" ./program

cmake -S . -B build >log && cmake --build build >>log || { cat log >&2; failed "CMake"; }
for program in build/c build/c_static build/cpp; do
    solves "$program with CMake" "$program"
done

# The wheel brings its own library.
python3 -m venv --system-site-packages venv
venv/bin/pip install --quiet --no-index --no-deps ./*.whl
solved=$(cd venv && bin/python -c 'import makespan; print(makespan.flow_shop([[3, 2], [1, 4], [2, 2]]).objective)')
[ "$solved" = 9 ] || failed "Python: $solved"

dpkg --purge makespan libmakespan-dev libmakespan0.1
files >after
diff before after || failed "files are left after the removal"
! ldconfig -p | grep -q libmakespan || failed "the loader still knows the library"
