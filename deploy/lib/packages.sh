# shellcheck shell=bash
# Installs the Debian packages that are missing, and nothing of them runs: the servers that come with the packages are
# neither started nor enabled, and no database cluster is created for the system. Those we start are our own.

# Prints the packages that have to be installed, looking for what we use of each: it may have come another way.
# $packages_also names those that only the caller needs.
packages_missing() {
    local -a missing=()
    [[ -x /usr/lib/rabbitmq/bin/rabbitmq-server ]] || missing+=(rabbitmq-server)
    compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql-15)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    pkg-config --exists libpq 2>/dev/null || missing+=(libpq-dev)
    pkg-config --exists librabbitmq 2>/dev/null || missing+=(librabbitmq-dev)
    command -v curl >/dev/null || missing+=(curl)
    command -v openssl >/dev/null || missing+=(openssl)
    command -v git >/dev/null || missing+=(git)
    # A consumer of notifications that is not ours: what the tests prove, and a user tries first.
    command -v amqp-consume >/dev/null || missing+=(amqp-tools)
    # For the demo in Python and the tests of the messages' documentation.
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
    # What the bench compares downloads with.
    [[ ${packages_also:-} != *nginx-light* ]] || command -v nginx >/dev/null || missing+=(nginx-light)
    ((${#missing[@]} == 0)) || printf '%s\n' "${missing[@]}"
}

# Makes sure that everything needed is there. Asks nothing. Quick when nothing is missing.
packages_install() {
    local -a missing ask=()
    mapfile -t missing < <(packages_missing)
    ((${#missing[@]} > 0)) || return 0
    command -v apt-get >/dev/null || fail "install the equivalents of these Debian packages: ${missing[*]}"
    if ((EUID == 0)); then
        packages_install_as_root
    elif command -v sudo >/dev/null; then
        say "installing ${missing[*]} with sudo"
        # With no terminal sudo must not wait for a password.
        [[ -t 0 ]] || ask=(--non-interactive)
        # shellcheck disable=SC2016 # Expanded by the inner shell, which reads the functions again.
        sudo "${ask[@]}" -- bash -euo pipefail -c '
            . "$1/lib/home.sh" && . "$1/lib/packages.sh" && packages_install_as_root' "$0" "${deploy:?}" ||
            packages_fail "${missing[@]}"
    else
        packages_fail "${missing[@]}"
    fi
    mapfile -t missing < <(packages_missing)
    ((${#missing[@]} == 0)) || packages_fail "${missing[@]}"
}

packages_fail() { fail "packages are missing and could not be installed. As root: apt-get install $*"; }

# In a shell of its own, so that its traps put back what was replaced however it ends.
packages_install_as_root() (
    mkdir -p /run/lock
    exec {lock}>/run/lock/zonda-packages.lock
    flock "$lock"
    mapfile -t missing < <(packages_missing)
    ((${#missing[@]} > 0)) || exit 0
    say "installing ${missing[*]}"
    log=$(mktemp /tmp/zonda-packages.XXXXXX)
    trap 'packages_restore /usr/sbin/policy-rc.d; packages_restore /etc/postgresql-common/createcluster.conf' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    before=$(packages_units)
    # 101 is the answer "not allowed" to whatever asks whether a package may start its server.
    packages_replace /usr/sbin/policy-rc.d 0755 $'#!/bin/sh\nexit 101'
    if ! {
        packages_apt update &&
            if [[ " ${missing[*]} " == *" postgresql-15 "* ]]; then
                packages_apt install postgresql-common &&
                    packages_replace /etc/postgresql-common/createcluster.conf 0644 'create_main_cluster = false'
            fi &&
            packages_apt install "${missing[@]}"
    } >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        fail "apt-get failed: the whole output is in $log"
    fi
    # The packages enable their servers for the next start of the machine.
    comm -13 <(printf '%s\n' "$before") <(packages_units) | while read -r unit; do
        # It serves package scripts only, and knows them by this variable.
        DPKG_MAINTSCRIPT_PACKAGE=zonda deb-systemd-helper disable "$unit" >/dev/null 2>&1 || true
        update-rc.d "${unit%.*}" disable >/dev/null 2>&1 || true
    done
    rm -f "$log"
)

packages_apt() {
    DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1 \
        apt-get --yes --quiet --no-install-recommends -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confold "$@"
}

# Prints which of the packages' servers are known to the system.
packages_units() {
    local unit
    for unit in epmd.service epmd.socket nginx.service postgresql.service rabbitmq-server.service; do
        if [[ -e /lib/systemd/system/$unit ]]; then printf '%s\n' "$unit"; fi
    done
}

# packages_replace FILE MODE CONTENT: puts the content in the file's place and keeps the original beside it. A second
# call after an interrupted run finds our own content there and keeps the true original.
packages_replace() {
    local mark='# In place only while deploy/run installs packages.'
    if [[ -e $1 ]] && ! grep -qsF "$mark" "$1"; then mv "$1" "$1.zonda-original"; fi
    printf '%s\n%s\n' "$3" "$mark" >"$1"
    chmod "$2" "$1"
}

packages_restore() {
    if [[ -e $1.zonda-original ]]; then
        mv -f "$1.zonda-original" "$1"
    elif grep -qsF '# In place only while deploy/run installs packages.' "$1"; then
        rm -f "$1"
    fi
}
