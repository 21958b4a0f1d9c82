# shellcheck shell=bash
# A home: the folder of a local stack of servers and services, with its ports, secrets, pid files and logs. Several
# homes can be in use on one machine, because each chooses its own ports.

deploy=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
repository=$(dirname "$deploy")

say() { printf '%s\n' "$*"; }
complain() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() {
    complain "$@"
    exit 1
}

# Makes $ZONDA_HOME (default: .zonda in the repository) absolute, creates its folders and exports it.
home_prepare() {
    local home=${ZONDA_HOME:-$repository/.zonda}
    mkdir -p "$home" || fail "cannot create $home"
    ZONDA_HOME=$(cd "$home" && pwd -P)
    export ZONDA_HOME
    [[ -O $ZONDA_HOME ]] ||
        fail "$ZONDA_HOME belongs to $(stat -c %U "$ZONDA_HOME"): run as that user, or set ZONDA_HOME"
    mkdir -p "$ZONDA_HOME"/{run,log,secrets}
    # PostgreSQL may run as a different user, which must be able to reach its folder in the home. Secret files have
    # their own modes.
    chmod 0755 "$ZONDA_HOME" "$ZONDA_HOME"/{run,log}
    chmod 0700 "$ZONDA_HOME/secrets"
    home_notice_relocation
}

# A copied home must not share its ports, its ID or a linked database with the original. A moved home keeps its ID and
# database.
home_notice_relocation() {
    local place=$ZONDA_HOME/place former
    if [[ -e $place ]]; then
        former=$(<"$place")
        [[ $former == "$ZONDA_HOME" ]] && return
        rm -f "$ZONDA_HOME"/{ports,env}
        if home_is_copy_of "$former"; then
            rm -f "$ZONDA_HOME/secrets/home"
            [[ ! -L $ZONDA_HOME/postgres ]] || rm -f "$ZONDA_HOME/postgres"
        fi
    fi
    printf '%s\n' "$ZONDA_HOME" >"$place"
}

# home_is_copy_of FOLDER: whether the folder is the original of this home, rather than a new home at the former place of
# this one.
home_is_copy_of() {
    [[ -d $1 ]] && { [[ ! -e $ZONDA_HOME/secrets/home ]] || cmp -s "$1/secrets/home" "$ZONDA_HOME/secrets/home"; }
}

# home_id: prints the home's ID, random digits that no other home has, not even a later one at the same path.
home_id() { home_secret home; }

# home_locked NAME COMMAND…: runs the command while holding the home's lock of that name. Daemons do not inherit the
# lock; see process_start.
home_locked() {
    local name=$1 lock
    shift
    exec {lock}>"$ZONDA_HOME/run/$name.lock"
    flock -w 300 "$lock" || fail "the lock $ZONDA_HOME/run/$name.lock was not free within five minutes: another command holds it"
    "$@"
    exec {lock}>&-
}

# home_port NAME: prints the port of that name. The first call chooses it and stores it in $ZONDA_HOME/ports.
home_port() {
    # Only choosing a port needs the lock.
    home_known_port "$1" || home_locked ports home_choose_port "$1"
}

home_known_port() {
    local line
    [[ -e $ZONDA_HOME/ports ]] || return 1
    while read -r line; do
        if [[ ${line%%=*} == "$1" ]]; then
            printf '%s\n' "${line#*=}"
            return
        fi
    done <"$ZONDA_HOME/ports"
    return 1
}

home_choose_port() {
    local port
    home_known_port "$1" && return
    while :; do
        # Below the range of ephemeral ports, so that no outgoing connection uses the port.
        port=$((20000 + SRANDOM % 10000))
        grep -qs "=$port\$" "$ZONDA_HOME/ports" && continue
        port_is_taken "$port" && continue
        printf '%s=%s\n' "$1" "$port" >>"$ZONDA_HOME/ports"
        printf '%s\n' "$port"
        return
    done
}

# port_is_taken PORT: whether a program listens on the port, at any address of this machine.
port_is_taken() {
    local hexadecimal
    printf -v hexadecimal '%04X' "$1"
    grep -Eqs "^ *[0-9]+: [0-9A-F]+:$hexadecimal [0-9A-F]+:0000 0A " /proc/net/tcp /proc/net/tcp6
}

# home_require_free_port NAME: fails if another program uses the port of that name, and explains the remedy.
home_require_free_port() {
    local port
    port=$(home_port "$1")
    port_is_taken "$port" || return 0
    fail "port $port ($1 in $ZONDA_HOME/ports) is in use by another program." \
        "Stop that program. Or stop all parts of this home, and delete $ZONDA_HOME/ports to choose new ports"
}

# home_secret NAME: prints 32 random hexadecimal digits. The first call generates them and stores them in a file that
# only the owner can read.
home_secret() {
    local file=$ZONDA_HOME/secrets/$1
    [[ -s $file ]] || home_locked secrets home_make_secret "$file"
    printf '%s\n' "$(<"$file")"
}

home_make_secret() {
    [[ -s $1 ]] || (umask 077 && random_hexadecimal 16 >"$1.new" && mv "$1.new" "$1")
}

# random_hexadecimal BYTES: prints this number of random bytes as one line of hexadecimal digits.
random_hexadecimal() {
    od -An -v -N "$1" -tx1 /dev/urandom | tr -d ' \n'
    printf '\n'
}

# home_setting NAME DEFAULT: prints the value of the line `NAME=value` in $ZONDA_HOME/settings, or the default. The file
# is optional. The settings are `tls=on` (the servers offer TLS, with the home's own certificate authority) and
# `fsync=off` (for PostgreSQL, in tests).
home_setting() {
    local line value=$2
    if [[ -e $ZONDA_HOME/settings ]]; then
        while read -r line; do
            [[ ${line%%=*} == "$1" ]] && value=${line#*=}
        done <"$ZONDA_HOME/settings"
    fi
    printf '%s\n' "$value"
}
