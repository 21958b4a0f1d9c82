# shellcheck shell=bash
# The services of a home: their names and environments, and how they start and stop.

# One line for each service, in the order in which they start:
#   name    executable    the variable of .zonda/env that contains its public address, or - if it has none
# A service with a public address finds its port in ZONDA_HTTP_PORT. All services find the public addresses in the
# variables of .zonda/env. The asset service precedes the record service, whose tables refer to the asset service's
# tables.
service_table=(
    "asset         zonda-asset         ZONDA_ASSET_URL"
    "record        zonda-record        -"
    "subscription  zonda-subscription  -"
    "gateway       zonda-gateway       ZONDA_URL"
)

# The time limits, in seconds, for a service to become ready, and to finish its requests after SIGTERM.
service_ready_limit=60
service_stop_limit=10

service_binaries=${ZONDA_BINARIES:-${repository:?}/.build/release}

service_names() { printf '%s\n' "${service_table[@]}" | awk '{ print $1 }'; }
service_executables() { printf '%s\n' "${service_table[@]}" | awk '{ print $2 }'; }

# service_column NAME NUMBER: prints a cell of the table.
service_column() {
    printf '%s\n' "${service_table[@]}" | awk -v name="$1" -v column="$2" '$1 == name { print $column }'
}

service_health_url() { printf 'http://127.0.0.1:%s' "$(home_port "$1-health")"; }
service_log() { printf '%s/log/%s.log' "$ZONDA_HOME" "$1"; }

# server_is_own postgres|rabbitmq: whether the server belongs to this home. If the caller has set the server's address,
# the server is only used, and neither started nor stopped, unless the address is this home's own, as in .zonda/env.
server_is_own() {
    case $1 in
    postgres) [[ ${ZONDA_POSTGRES_URL:-} == "" || $ZONDA_POSTGRES_URL == "$(postgres_url)" ]] ;;
    rabbitmq) [[ ${ZONDA_AMQP_URL:-} == "" || $ZONDA_AMQP_URL == "$(rabbitmq_url)" ]] ;;
    esac
}

# Prints the addresses of the public services as NAME=value lines.
service_addresses() {
    local name variable
    for name in $(service_names); do
        variable=$(service_column "$name" 3)
        [[ $variable == - ]] || printf '%s=http://127.0.0.1:%s\n' "$variable" "$(home_port "$name")"
    done
}

# service_environment NAME: prints the variables that a service gets in addition to the caller's environment, as
# NAME=value lines. On the home's own servers, each service has its own user. On other servers, all services have the
# user in the caller's address.
service_environment() {
    local broker=${ZONDA_AMQP_URL:-} database=${ZONDA_POSTGRES_URL:-} secrets=$ZONDA_HOME/deployment/$1
    if server_is_own rabbitmq; then
        broker=amqp://zonda-$1:$(<"$secrets/amqp-password")@127.0.0.1:$(home_port rabbitmq)/%2F
    fi
    if server_is_own postgres; then
        database=postgres://zonda_$1:$(<"$secrets/postgres-password")@127.0.0.1:$(home_port postgres)/zonda
        [[ $1 != asset ]] || printf 'ZONDA_RECORD_ROLE=zonda_record\n'
    fi
    printf '%s\n' "ZONDA_AMQP_URL=$broker" \
        "ZONDA_POSTGRES_URL=$database" \
        "ZONDA_SIGNING_KEYS_FILE=$secrets/signing-keys" \
        "ZONDA_HEALTH_PORT=$(home_port "$1-health")" \
        "ZONDA_CREATE_CONTAINERS=true" \
        "ZONDA_COURIER_URL=http://127.0.0.1:$(home_port gateway)/courier" \
        "ZONDA_ASSET_DIRECTORY=$ZONDA_HOME/assets"
    [[ $(service_column "$1" 3) == - ]] || printf 'ZONDA_HTTP_PORT=%s\n' "$(home_port "$1")"
    service_addresses
}

# Creates missing secrets, users, roles, exchanges and queues. The servers must be running.
services_provision() {
    local secrets=$ZONDA_HOME/deployment definitions=$ZONDA_HOME/rabbitmq/definitions.json
    services_keep_secrets
    zonda_provision secrets "$secrets"
    if server_is_own postgres; then
        zonda_provision database --secrets "$secrets" --operator-secret \
            --postgres-url "postgres://zonda@127.0.0.1:$(home_port postgres)/zonda"
    fi
    if ! server_is_own rabbitmq; then
        zonda_provision topology
    elif ! cmp -s "$secrets/rabbitmq/definitions.json" "$definitions"; then
        rabbitmqctl --quiet import_definitions "$secrets/rabbitmq/definitions.json" >/dev/null
        # The copy is stored with the broker's data, and is deleted with it.
        cp "$secrets/rabbitmq/definitions.json" "$definitions"
    fi
}

# Stores the existing secrets of the home where `zonda provision secrets` expects them: the administrators' passwords,
# with which the servers were created, and the signing keys of a home of an earlier version.
services_keep_secrets() {
    service_keep_secret operator/amqp-password "$(home_secret rabbitmq)"
    service_keep_secret operator/postgres-password "$(home_secret postgres)"
    [[ -s $ZONDA_HOME/signing-keys ]] || return 0
    service_keep_secret operator/signing-keys "$(<"$ZONDA_HOME/signing-keys")"
}

# service_keep_secret FILE SECRET: writes the secret, unless the file exists.
service_keep_secret() {
    local file=$ZONDA_HOME/deployment/$1
    [[ -s $file ]] || (umask 077 && mkdir -p "${file%/*}" && printf '%s\n' "$2" >"$file")
}

zonda_provision() {
    "$service_binaries/zonda" provision "$@" || fail "zonda provision $1 failed"
}

service_is_ready() {
    curl --silent --fail --output /dev/null --noproxy '*' --max-time 5 "$(service_health_url "$1")/health/ready"
}

service_is_ready_or_gone() { service_is_ready "$1" || process_is_gone "$1"; }

# service_is_outdated NAME: whether the service was started before its executable was built, or with a different
# environment.
service_is_outdated() {
    [[ $service_binaries/$(service_column "$1" 2) -nt $ZONDA_HOME/run/$1.pid ]] ||
        ! service_environment "$1" | cmp -s - "$ZONDA_HOME/run/$1.environment"
}

# service_start NAME: migrates the service's schema and starts the service; returns when it is ready. Restarts the
# service if it is outdated.
service_start() {
    local name=$1 log
    log=$(service_log "$name")
    if ! process_is_gone "$name" && service_is_outdated "$name"; then service_stop "$name"; fi
    if process_is_gone "$name"; then
        [[ -x $service_binaries/$(service_column "$name" 2) ]] || fail "$name has not been built: run deploy/run"
        home_require_free_port "$name-health"
        [[ $(service_column "$name" 3) == - ]] || home_require_free_port "$name"
        (umask 077 && service_environment "$name" >"$ZONDA_HOME/run/$name.environment")
        log_rotate "$log"
        service_run "$name" migrate >>"$log" 2>&1 </dev/null || service_fail "$name" "could not migrate its database"
        service_run "$name" serve
    fi
    await "$service_ready_limit" service_is_ready_or_gone "$name" || service_is_not_ready "$name"
    process_is_gone "$name" && service_fail "$name" "has exited"
    return 0
}

# service_run NAME SUBCOMMAND: runs the service's program with the service's environment; `serve` is run as a daemon.
service_run() (
    binary=$service_binaries/$(service_column "$1" 2)
    mapfile -t variables <"$ZONDA_HOME/run/$1.environment"
    # The variables are not passed as arguments of a command, because every user of the machine could read the passwords
    # there.
    export "${variables[@]}"
    if [[ $2 == serve ]]; then
        process_start "$1" "$(service_log "$1")" "$binary" serve
    else
        "$binary" "$2"
    fi
)

service_fail() {
    tail -n 20 "$(service_log "$1")" >&2
    fail "$1 $2: see $(service_log "$1")"
}

service_is_not_ready() {
    # The answer contains the reasons.
    curl --silent --noproxy '*' --max-time 5 "$(service_health_url "$1")/health/ready" >&2 || true
    service_fail "$1" "is not ready after $service_ready_limit s"
}

service_stop() { process_stop "$1" "$service_stop_limit"; }
