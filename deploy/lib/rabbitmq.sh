# shellcheck shell=bash
# The RabbitMQ of a home, and the epmd (Erlang's port mapper) that it needs. Both run as the caller and listen on the
# loopback address only. The programs come from the package's library folder, because those in the system path change
# the user and read the system's configuration.

rabbitmq_programs=/usr/lib/rabbitmq/bin

rabbitmq_folder() { printf '%s/rabbitmq' "$ZONDA_HOME"; }
rabbitmq_log() { printf '%s/log/rabbitmq.log' "$ZONDA_HOME"; }

# rabbitmq_with COMMAND…: runs the command with this home's environment for RabbitMQ, and without the caller's.
rabbitmq_with() (
    folder=$(rabbitmq_folder)
    # shellcheck disable=SC2086 # Lists of names, possibly empty.
    unset ${!RABBITMQ_@} ${!ERL_@} NOTIFY_SOCKET
    # The server and its tools find the cookie in the home folder.
    export HOME=$folder
    export ERL_EPMD_ADDRESS=127.0.0.1
    ERL_EPMD_PORT=$(home_port epmd)
    export ERL_EPMD_PORT
    # The data belongs to the node name. It can be the same in every home, because each home has its own epmd.
    export RABBITMQ_NODENAME=zonda@localhost
    RABBITMQ_DIST_PORT=$(home_port rabbitmq-distribution)
    export RABBITMQ_DIST_PORT
    export RABBITMQ_BASE=$folder
    export RABBITMQ_MNESIA_BASE=$folder/data
    export RABBITMQ_LOG_BASE=$ZONDA_HOME/log
    RABBITMQ_LOGS=$(rabbitmq_log)
    export RABBITMQ_LOGS
    export RABBITMQ_UPGRADE_LOG=$ZONDA_HOME/log/rabbitmq.upgrade.log
    export RABBITMQ_CONFIG_FILE=$folder/rabbitmq.conf
    export RABBITMQ_CONFIG_FILES=$folder/conf.d
    export RABBITMQ_ADVANCED_CONFIG_FILE=$folder/advanced.config
    export RABBITMQ_CONF_ENV_FILE=$folder/rabbitmq-env.conf
    export RABBITMQ_ENABLED_PLUGINS_FILE=$folder/enabled_plugins
    export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false"
    export RABBITMQ_CTL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false"
    # Makes the start script replace itself with the server, so that the pid is that of the server.
    export RUNNING_UNDER_SYSTEMD=true
    "$@"
)

# Writes the configuration, before each start because ports and settings may have changed.
rabbitmq_configure() {
    local folder
    folder=$(rabbitmq_folder)
    mkdir -p "$folder"
    chmod 0700 "$folder"
    printf '[rabbitmq_management].\n' >"$folder/enabled_plugins"
    if [[ ! -e $folder/.erlang.cookie ]]; then
        (umask 077 && home_secret rabbitmq-cookie >"$folder/.erlang.cookie")
    fi
    chmod 0400 "$folder/.erlang.cookie"
    (
        umask 077
        # The first start creates the default user instead of `guest`.
        cat >"$folder/rabbitmq.conf" <<CONF
listeners.tcp.1 = 127.0.0.1:$(home_port rabbitmq)
default_user = zonda
default_pass = $(home_secret rabbitmq)
default_user_tags.administrator = true
vm_memory_high_watermark.relative = 0.25
disk_free_limit.absolute = 200MB
# See deploy/rabbitmq.conf for the reasons of the following settings.
max_message_size = 33554432
frame_max = 16384
consumer_timeout = 86400000
raft.wal_max_size_bytes = 67108864
log.file.level = info
log.file.rotation.size = 16777216
log.file.rotation.count = 1
# The command "zonda consumer grant" creates users through the management API. Statistics are not collected.
management.tcp.ip = 127.0.0.1
management.tcp.port = $(home_port rabbitmq-management)
management.disable_stats = true
management_agent.disable_metrics_collector = true
CONF
        if [[ $(home_setting tls off) == on ]]; then
            tls_prepare
            cat >>"$folder/rabbitmq.conf" <<CONF
listeners.ssl.1 = 127.0.0.1:$(home_port rabbitmq-tls)
ssl_options.cacertfile = $ZONDA_HOME/tls/ca.pem
ssl_options.certfile = $ZONDA_HOME/tls/server.pem
ssl_options.keyfile = $ZONDA_HOME/tls/server.key
ssl_options.verify = verify_none
CONF
        fi
    )
}

rabbitmq_pid() { process_pid rabbitmq; }

# Whether the broker greets a client with AMQP. It opens its ports last, when it is otherwise ready.
rabbitmq_is_ready() {
    local byte
    byte=$(
        exec 2>/dev/null {socket}<>"/dev/tcp/127.0.0.1/$(home_port rabbitmq)" || exit
        printf 'AMQP\0\0\11\1' >&"$socket"
        LC_ALL=C read -r -t 5 -N 1 byte <&"$socket"
        printf '%s' "$byte"
    ) || return
    # This is the first byte of a method frame. A broker that refuses the version sends an A.
    [[ $byte == $'\001' ]]
}

rabbitmq_is_ready_or_gone() { rabbitmq_is_ready || process_is_gone rabbitmq; }

rabbitmq_ports_are_free() {
    ! port_is_taken "$(home_port rabbitmq)" && ! port_is_taken "$(home_port rabbitmq-distribution)"
}

rabbitmq_start() {
    local epmd
    epmd=$(command -v epmd) || fail "Erlang is not installed: no epmd in the path"
    if process_is_gone rabbitmq; then
        # The sockets of a killed broker may stay open for a moment.
        await 10 rabbitmq_ports_are_free || true
        home_require_free_port rabbitmq
        home_require_free_port rabbitmq-distribution
        rabbitmq_configure
        if process_is_gone epmd; then
            # An Erlang program that finds no epmd may have started one on the same port.
            ! port_is_taken "$(home_port epmd)" || rabbitmq_with "$epmd" -kill >/dev/null 2>&1 || true
            home_require_free_port epmd
            rabbitmq_with process_start epmd "$ZONDA_HOME/log/rabbitmq.console.log" "$epmd"
            await 10 port_is_taken "$(home_port epmd)" || fail "epmd did not start"
        fi
        rabbitmq_with process_start rabbitmq "$ZONDA_HOME/log/rabbitmq.console.log" "$rabbitmq_programs/rabbitmq-server"
    fi
    await 120 rabbitmq_is_ready_or_gone || fail "RabbitMQ is running but does not answer: see $(rabbitmq_log)"
    if process_is_gone rabbitmq; then
        tail -n 20 "$ZONDA_HOME/log/rabbitmq.console.log" >&2
        process_kill epmd
        fail "RabbitMQ did not start: see $(rabbitmq_log)"
    fi
}

# After SIGTERM, the broker closes its queues in order. With a slow disk, this can take most of the time limit.
rabbitmq_stop() {
    process_stop rabbitmq 60
    process_stop epmd 5
}

rabbitmq_kill() {
    process_kill rabbitmq
    process_kill epmd
}

rabbitmqctl() { rabbitmq_with "$rabbitmq_programs/rabbitmqctl" "$@"; }

# rabbitmq_eval EXPRESSIONS: does the same as `rabbitmqctl eval`, but without the second that an Erlang virtual machine
# takes to start. Concurrent calls may fail to connect; in that case, nothing was evaluated, and the call is repeated.
rabbitmq_eval() {
    local answer attempt
    if command -v erl_call >/dev/null; then
        for attempt in 1 2 3 4 5; do
            if answer=$(rabbitmq_with erl_call -sname zonda@localhost -e <<<"$1" 2>&1); then
                printf '%s\n' "$answer"
                [[ $answer == '{ok, '* ]]
                return
            fi
            [[ $answer == *'failed to connect'* ]] || break
            sleep "0.$attempt"
        done
        [[ $answer == *'failed to connect'* ]] || fail "$answer"
    fi
    rabbitmqctl eval "$1"
}

rabbitmq_url() { printf 'amqp://zonda:%s@127.0.0.1:%s/%%2F\n' "$(home_secret rabbitmq)" "$(home_port rabbitmq)"; }

rabbitmq_tls_url() {
    # A host name instead of an address, because librabbitmq 0.11 does not compare the addresses in a certificate.
    printf 'amqps://zonda:%s@localhost:%s/%%2F\n' "$(home_secret rabbitmq)" "$(home_port rabbitmq-tls)"
}

rabbitmq_management_url() { printf 'http://127.0.0.1:%s\n' "$(home_port rabbitmq-management)"; }
