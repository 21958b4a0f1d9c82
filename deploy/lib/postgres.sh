# shellcheck shell=bash
# The PostgreSQL of a home. If the caller is root, it runs as the user `postgres`, because the server refuses root. It
# listens on the loopback address only. It has no Unix socket, whose path would be too long in a deep folder.
#
# There are two roles: `zonda` owns the database `zonda` and creates the services' roles. `postgres` is the superuser,
# for tests and repairs.

postgres_folder() { printf '%s/postgres' "$ZONDA_HOME"; }
postgres_log() { printf '%s/log/postgres.log' "$ZONDA_HOME"; }

# Prints the folder of the data, with links resolved, because the server's user may not be able to follow the link in
# the home.
postgres_data() { printf '%s/data' "$(realpath "$(postgres_folder)")"; }

# postgres_as COMMAND…: runs the command as the user that owns the data, without the caller's variables PG….
postgres_as() (
    # shellcheck disable=SC2086 # A list of names, possibly empty.
    unset ${!PG@}
    # That user may not be able to read the caller's current folder.
    cd /
    if ((EUID == 0)); then
        exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"
    else
        exec "$@"
    fi
)

# postgres_binary NAME: prints the path of a program, of the version that created the data, or else of the newest
# version.
postgres_binary() {
    local version=
    [[ -e $(postgres_folder)/data/PG_VERSION ]] && version=$(<"$(postgres_folder)/data/PG_VERSION")
    local -a found
    mapfile -t found < <(compgen -G "/usr/lib/postgresql/${version:-*}/bin/$1" | sort -V)
    ((${#found[@]} > 0)) || fail "PostgreSQL ${version:-} is not installed: /usr/lib/postgresql/${version:-*}/bin/$1"
    printf '%s\n' "${found[-1]}"
}

# Creates the folder of PostgreSQL. If the user `postgres` cannot access the home, the folder is in /var/tmp, and the
# home contains a link to it. The folder's name contains the home's ID, so that a new home does not find the data of an
# earlier one, whose passwords no longer exist.
postgres_make_folder() {
    local folder target
    folder=$(postgres_folder)
    if [[ -d $folder ]]; then
        [[ ! -L $folder ]] || postgres_note_home "$(realpath "$folder")"
        return
    fi
    # This may be a link whose target was removed.
    rm -f "$folder"
    if ((EUID != 0)); then
        mkdir -m 0700 "$folder"
    elif postgres_as test -x "$ZONDA_HOME"; then
        mkdir -m 0700 "$folder"
        chown postgres: "$folder"
    else
        target=/var/tmp/zonda-$(home_id)
        postgres_leave_former "$target"
        # Any user can create files in /var/tmp. mkdir fails if the name exists, and then the folder must belong to the
        # server.
        if mkdir -m 0700 "$target" 2>/dev/null; then
            chown postgres: "$target"
        elif [[ -L $target || $(stat -c %U "$target") != postgres ]]; then
            fail "$target exists but does not belong to the user postgres: remove it"
        fi
        postgres_note_home "$target"
        ln -s "$target" "$folder"
    fi
}

# postgres_note_home FOLDER: writes the path of the home to which the data belongs, for people who find the folder
# later.
postgres_note_home() { printf '%s\n' "$ZONDA_HOME" | postgres_write "$1/home"; }

# postgres_leave_former OURS: kills the server that an earlier home at this path left running, and reports where its
# data is. The data is kept: if the earlier home was moved, it will use the data at its next start.
postgres_leave_former() {
    local folder process
    for folder in /var/tmp/zonda-*; do
        [[ $folder != "$1" && ! -L $folder && -d $folder/data && $(stat -c %U "$folder") == postgres ]] || continue
        # Before homes had IDs, the folder was named after the path.
        [[ $(cat "$folder/home" 2>/dev/null) == "$ZONDA_HOME" ||
            $folder == /var/tmp/zonda-$(sha256sum <<<"$ZONDA_HOME" | cut -c 1-16) ]] || continue
        for process in /proc/[0-9]*; do
            [[ $process/cwd -ef $folder/data && $(readlink "$process/exe") == */bin/postgres* ]] || continue
            kill -KILL "${process#/proc/}" 2>/dev/null || true
        done
        complain "the database of an earlier $ZONDA_HOME is left in $folder and is not used." \
            "Remove that folder unless the earlier home was moved"
    done
}

# Creates the data under a different name, and renames it when it is complete, so that an interrupted first start is
# repeated.
postgres_make_data() {
    local data new
    data=$(postgres_data)
    new=$data.new
    [[ -d $data ]] && return
    rm -rf "$new"
    # Indexes are ordered by bytes, so that the order is the same on every machine. Character classes are Unicode's, for
    # full-text search.
    home_secret postgres-superuser | postgres_write "$data.password"
    postgres_as "$(postgres_binary initdb)" --pgdata "$new" --username postgres --pwfile "$data.password" \
        --auth scram-sha-256 --encoding UTF8 --locale C.UTF-8 --lc-collate C --no-instructions \
        >>"$(postgres_log)" 2>&1 || return
    rm "$data.password"
    postgres_as "$(postgres_binary postgres)" --single -D "$new" postgres >>"$(postgres_log)" 2>&1 <<SQL || return
create role zonda login createdb createrole password '$(home_secret postgres)'
create database zonda owner zonda
SQL
    printf "include 'zonda.conf'\n" >>"$new/postgresql.conf"
    mv "$new" "$data"
}

# Writes the configuration, before each start because ports and settings may have changed.
postgres_configure() {
    local data tls
    data=$(postgres_data)
    tls=$(home_setting tls off)
    postgres_write "$data/zonda.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $(home_port postgres)
unix_socket_directories = ''
max_connections = 200
shared_buffers = 256MB
# A statement on a table with many partitions and indexes takes a lock on each of them.
max_locks_per_transaction = 1024
fsync = $(home_setting fsync on)
ssl = $tls
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %q%u@%d %a '
CONF
    if [[ $tls == on ]]; then
        postgres_write "$data/server.crt" <"$ZONDA_HOME/tls/server.pem"
        postgres_write "$data/server.key" <"$ZONDA_HOME/tls/server.key"
    fi
}

# postgres_write FILE: writes standard input to a file that only the server can read.
postgres_write() {
    local new=$1.new
    (umask 077 && cat >"$new")
    ((EUID != 0)) || chown postgres: "$new"
    mv "$new" "$1"
}

# postgres_is_ours PID: whether the process belongs to this home's PostgreSQL. Its processes overwrite their environment
# with the process title, so they have no mark, but their current folder is the data folder.
postgres_is_ours() {
    [[ /proc/$1/cwd -ef $ZONDA_HOME/postgres/data && $(readlink "/proc/$1/exe") == */bin/postgres* ]]
}

# postgres_pid: prints the pid of the server; returns 1 if it is not running.
postgres_pid() {
    local pid
    [[ -s $(postgres_folder)/data/postmaster.pid ]] || return 1
    read -r pid <"$(postgres_folder)/data/postmaster.pid"
    postgres_is_ours "$pid" || return 1
    printf '%s\n' "$pid"
}

postgres_is_ready() {
    "$(postgres_binary pg_isready)" -q -h 127.0.0.1 -p "$(home_port postgres)" -t 2
}

postgres_start() {
    local pid
    if ! postgres_pid >/dev/null; then
        # A worker that is still running after its server has ended would prevent the next start.
        postgres_kill
        home_require_free_port postgres
        [[ $(home_setting tls off) == off ]] || tls_prepare
        log_rotate "$(postgres_log)"
        postgres_make_folder
        postgres_make_data || fail "PostgreSQL's data could not be created: see $(postgres_log)"
        postgres_configure
        # The caller opens the log, and the server inherits it, because the server's user may not be able to open it.
        (
            exec </dev/null >>"$(postgres_log)" 2>&1
            process_close_descriptors
            postgres_as "$(postgres_binary pg_ctl)" start --silent --wait --timeout 120 --pgdata "$(postgres_data)"
        ) || fail "PostgreSQL did not start: see $(postgres_log)"
    fi
    await 60 postgres_is_ready || fail "PostgreSQL is running but does not answer: see $(postgres_log)"
    pid=$(postgres_pid) || fail "PostgreSQL has exited: see $(postgres_log)"
    printf '%s\n' "$pid" >"$ZONDA_HOME/run/postgres.pid"
}

postgres_stop() {
    if postgres_pid >/dev/null; then
        postgres_as "$(postgres_binary pg_ctl)" stop --silent --wait --timeout 30 --mode fast \
            --pgdata "$(postgres_data)" >>"$(postgres_log)" 2>&1 </dev/null ||
            complain "PostgreSQL did not stop within 30 s and is killed"
    fi
    postgres_kill
}

# Kills the server and its workers immediately, like a power failure.
postgres_kill() {
    local -a processes
    local process
    while :; do
        processes=()
        for process in /proc/[0-9]*; do
            if postgres_is_ours "${process#/proc/}"; then processes+=("${process#/proc/}"); fi
        done
        ((${#processes[@]} > 0)) || break
        kill -KILL "${processes[@]}" 2>/dev/null || true
        sleep 0.02
    done
    # No process of this server is left. A remaining lock file names a process of another program, or a zombie. In both
    # cases, the server would assume that it is already running and refuse to start.
    rm -f "$ZONDA_HOME/postgres/data/postmaster.pid" "$ZONDA_HOME/run/postgres.pid"
}

postgres_url() {
    printf 'postgres://zonda:%s@127.0.0.1:%s/zonda\n' "$(home_secret postgres)" "$(home_port postgres)"
}

postgres_superuser_url() {
    printf 'postgres://postgres:%s@127.0.0.1:%s/zonda\n' "$(home_secret postgres-superuser)" "$(home_port postgres)"
}
