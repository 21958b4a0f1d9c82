# shellcheck shell=bash
# The daemons of a home. Each has a pid file, $ZONDA_HOME/run/NAME.pid, and a mark in its environment that names the
# home and the part. After a crash or a reboot, the pid may belong to a different process, which must never be
# signalled. Therefore, the mark is checked before each signal.

process_mark() { printf 'ZONDA_PART=%s#%s' "$ZONDA_HOME" "$1"; }

# process_carries PID MARK: whether the process is running and has the mark. A zombie has no environment, so it does
# not. A process that is about to execute another program has no environment for a moment, so the check is repeated
# while the process exists.
process_carries() {
    local try
    for try in 1 2 3 4; do
        ((try == 1)) || sleep 0.02
        if grep -qszxF -- "$2" "/proc/$1/environ"; then return 0; fi
        [[ -e /proc/$1 ]] || return 1
    done
    return 1
}

# process_pid NAME: prints the pid of the part; returns 1 if it is not running.
process_pid() {
    local file=$ZONDA_HOME/run/$1.pid pid
    [[ -s $file ]] || return 1
    pid=$(<"$file")
    [[ $pid =~ ^[0-9]+$ ]] && process_carries "$pid" "$(process_mark "$1")" || return 1
    printf '%s\n' "$pid"
}

# process_family NAME: prints the pids of the part and of all processes that it started, which inherit the mark.
process_family() {
    local file
    while read -r file; do
        file=${file#/proc/}
        printf '%s\n' "${file%/environ}"
    done < <(grep -lszxF -- "$(process_mark "$1")" /proc/[0-9]*/environ)
}

# process_start NAME LOG COMMAND…: starts the command as a daemon that appends its output to LOG. The daemon has its own
# session and no terminal. It inherits none of the caller's descriptors, so that it keeps no pipe or lock open.
process_start() {
    local name=$1 log=$2 mark pid
    shift 2
    mark=$(process_mark "$name")
    # A process that an earlier home at this path left running has the same mark, but this home has no pid file for it.
    process_kill "$name"
    log_rotate "$log"
    (
        cd "$ZONDA_HOME" || exit
        exec </dev/null >>"$log" 2>&1
        process_close_descriptors
        exec env "$mark" setsid -- "$@"
    ) &
    pid=$!
    printf '%s\n' "$pid" >"$ZONDA_HOME/run/$name.pid"
    # Until the command is executed, the process has the environment of this script.
    while kill -0 "$pid" 2>/dev/null && ! process_carries "$pid" "$mark"; do sleep 0.01; done
}

process_close_descriptors() {
    local descriptor
    for descriptor in /proc/self/fd/*; do
        descriptor=${descriptor##*/}
        ((descriptor <= 2)) || eval "exec $descriptor>&-"
    done
}

# process_stop NAME SECONDS: sends SIGTERM to the part, and SIGKILL if it is still running after the limit. Returns when
# the part and all processes that it started have ended.
process_stop() {
    local name=$1 limit=$2 pid
    if pid=$(process_pid "$name"); then
        kill -TERM "$pid" 2>/dev/null || true
        await "$limit" process_is_gone "$name" || complain "$name did not stop within $limit s and is killed"
    fi
    process_kill "$name"
}

# process_kill NAME: sends SIGKILL to the part and all processes that it started. Returns when all of them have ended.
process_kill() {
    local -a family
    while :; do
        mapfile -t family < <(process_family "$1")
        ((${#family[@]} > 0)) || break
        kill -KILL "${family[@]}" 2>/dev/null || true
        sleep 0.02
    done
    rm -f "$ZONDA_HOME/run/$1.pid"
}

process_is_gone() { ! process_pid "$1" >/dev/null; }

# await SECONDS COMMAND…: repeats the command until it succeeds; returns 1 if it does not succeed within the limit.
await() {
    local deadline=$((SECONDS + $1 + 1))
    shift
    until "$@"; do
        ((SECONDS < deadline)) || return 1
        sleep 0.05
    done
}

# log_rotate FILE: renames the log if it is larger than 16 MiB. One old log is kept.
log_rotate() {
    if [[ -e $1 ]] && (($(stat -c %s "$1") > 16777216)); then mv -f "$1" "$1.1"; fi
}
