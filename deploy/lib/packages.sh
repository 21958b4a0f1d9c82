# shellcheck shell=bash
# Installs missing Debian packages. The servers that come with the packages are neither started nor enabled, and no
# database cluster is created for the system. Each home starts its own servers.

# Prints the missing packages. The check looks for the programs and libraries themselves, because they may have been
# installed in a different way. $packages_also names packages that only the caller needs.
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
    # A consumer of notifications that is not part of Zonda, which tests and users try.
    command -v amqp-consume >/dev/null || missing+=(amqp-tools)
    # For the demo in Python, and for the tests of the documents.
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
    # For deploy/bench, which compares downloads with it.
    [[ ${packages_also:-} != *nginx-light* ]] || command -v nginx >/dev/null || missing+=(nginx-light)
    ((${#missing[@]} == 0)) || printf '%s\n' "${missing[@]}"
}

# Installs the missing packages, without asking questions. Fast if none is missing.
packages_install() {
    local -a missing ask=()
    mapfile -t missing < <(packages_missing)
    ((${#missing[@]} > 0)) || return 0
    command -v apt-get >/dev/null || fail "install the equivalents of these Debian packages: ${missing[*]}"
    if ((EUID == 0)); then
        packages_install_as_root
    elif command -v sudo >/dev/null; then
        say "installing ${missing[*]} with sudo"
        # Without a terminal, sudo must not wait for a password.
        [[ -t 0 ]] || ask=(--non-interactive)
        # shellcheck disable=SC2016 # Expanded by the inner shell, which sources the functions again.
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

# Runs in a subshell, whose traps restore the replaced files even if it fails.
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
    # The exit status 101 means that a package may not start its server.
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
        fail "apt-get failed: the complete output is in $log"
    fi
    # The packages have enabled their servers for the next start of the machine.
    comm -13 <(printf '%s\n' "$before") <(packages_units) | while read -r unit; do
        # deb-systemd-helper works only for package scripts, which it recognizes by this variable.
        DPKG_MAINTSCRIPT_PACKAGE=zonda deb-systemd-helper disable "$unit" >/dev/null 2>&1 || true
        update-rc.d "${unit%.*}" disable >/dev/null 2>&1 || true
    done
    rm -f "$log"
)

packages_apt() {
    DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1 \
        apt-get --yes --quiet --no-install-recommends -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confold "$@"
}

# Prints the packages' servers that the system knows.
packages_units() {
    local unit
    for unit in epmd.service epmd.socket nginx.service postgresql.service rabbitmq-server.service; do
        if [[ -e /lib/systemd/system/$unit ]]; then printf '%s\n' "$unit"; fi
    done
}

# packages_replace FILE MODE CONTENT: replaces the file with the content, and keeps the original in the same folder.
# After an interrupted run, the file already has our content, and the true original is kept.
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
