#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>

/// Calls `amqp_login_with_properties`, whose credentials are variadic arguments, which Swift cannot pass.
static inline amqp_rpc_reply_t zonda_amqp_login(amqp_connection_state_t state, const char *virtual_host, int frame_max,
                                                int heartbeat, const amqp_table_t *properties, const char *user,
                                                const char *password) {
    return amqp_login_with_properties(state, virtual_host, AMQP_DEFAULT_MAX_CHANNELS, frame_max, heartbeat, properties,
                                      AMQP_SASL_METHOD_PLAIN, user, password);
}
