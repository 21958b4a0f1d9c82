# shellcheck shell=bash
# Python packages for the demo and the tests, in a virtual environment in the home. The system's Python is not changed.

# Prints the environment's interpreter.
python_program() { printf '%s/python/bin/python' "$ZONDA_HOME"; }

# python_install REQUIREMENTS…: installs the packages that these files list. Fast if they are already installed.
python_install() {
    local stamp
    stamp=$ZONDA_HOME/python/installed.$(cat -- "$@" | sha256sum | cut -c 1-16)
    [[ -e $stamp && -x $(python_program) ]] || home_locked python python_fill "$stamp" "$@"
}

python_fill() {
    local stamp=$1 log=$ZONDA_HOME/log/python.log
    shift
    [[ ! -e $stamp || ! -x $(python_program) ]] || return 0
    say "installing Python packages: see $log" >&2
    {
        # An environment whose interpreter no longer works is created again.
        if ! "$(python_program)" -c ''; then python3 -m venv --clear "$ZONDA_HOME/python"; fi &&
            "$(python_program)" -m pip install --disable-pip-version-check --progress-bar off "${@/#/--requirement=}"
    } >"$log" 2>&1 </dev/null || {
        tail -n 5 "$log" >&2
        fail "the Python packages could not be installed (Debian needs python3-venv): the complete output is in $log"
    }
    touch "$stamp"
}
