# shellcheck shell=bash
# The threads of Swift's runtime block nearly all signals, and a program that they start inherits this signal mask. A
# server that a test starts would never receive SIGTERM. A shell cannot unblock a signal, so a script in which SIGTERM
# is blocked executes itself again with an empty mask.

signals_unblock() {
    local name value blocked=0
    while read -r name value; do
        [[ $name == SigBlk: ]] && blocked=$((16#$value))
    done <"/proc/$$/status"
    # Checks only signal 15, SIGTERM.
    if ((blocked >> 14 & 1)) && command -v perl >/dev/null; then
        exec perl -MPOSIX -e 'sigprocmask(SIG_SETMASK, POSIX::SigSet->new); exec @ARGV or die "$ARGV[0]: $!"' \
            "$BASH" "$0" "$@"
    fi
}
