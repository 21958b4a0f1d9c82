import CRabbitMQ

extension ConnectionHandle {
    /// Returns the library's text for one of its status codes.
    static func text(of status: Int32) -> String {
        String(cString: amqp_error_string2(status))
    }

    /// Throws `.connectionLost` if `status` is an error.
    static func check(_ status: Int32, _ what: String) throws(AMQPError) {
        guard status == AMQP_STATUS_OK.rawValue else {
            throw AMQPError(.connectionLost, "\(what): \(text(of: status))")
        }
    }

    /// Checks the reply to a synchronous method.
    ///
    /// - Throws: `.refused`, with the broker's code and text, if the broker closed the channel; `.connectionLost` if
    ///   the connection ended or no reply arrived in time; `.protocolViolation` for an unexpected reply.
    static func check(_ reply: amqp_rpc_reply_t, _ what: String) throws(AMQPError) {
        switch reply.reply_type {
        case AMQP_RESPONSE_NORMAL:
            return
        case AMQP_RESPONSE_SERVER_EXCEPTION:
            switch Method(reply.reply) {
            case .channelClosed(let code, let text):
                throw AMQPError(.refused, "\(what): \(text)", replyCode: code)
            case .connectionClosed(let code, let text):
                throw AMQPError(.connectionLost, "\(what): \(text)", replyCode: code)
            default:
                throw AMQPError(.protocolViolation, "\(what): the broker sent an unexpected reply")
            }
        default:
            throw AMQPError(.connectionLost, "\(what): \(text(of: reply.library_error))")
        }
    }

    /// Checks the reply to the last synchronous method on `channel`. If the broker closed the channel, confirms the
    /// close.
    func checkReply(_ what: String, channel: UInt16) throws(AMQPError) {
        arena.reset()
        let reply = amqp_get_rpc_reply(state)
        defer { releaseBuffers() }
        do throws(AMQPError) {
            try Self.check(reply, what)
        } catch {
            if error.code == .refused {
                try confirmClose(of: channel)
            }
            throw error
        }
    }
}

extension Method {
    /// Creates a method by copying the fields that this client needs.
    init(_ method: amqp_method_t) {
        func decoded<T>(_ type: T.Type) -> T {
            method.decoded.assumingMemoryBound(to: type).pointee
        }
        switch method.id {
        case AMQP_BASIC_DELIVER_METHOD:
            let deliver = decoded(amqp_basic_deliver_t.self)
            self = .content(
                ContentHeading(
                    purpose: .delivered(tag: deliver.delivery_tag, isRedelivered: deliver.redelivered != 0),
                    exchange: String(deliver.exchange), routingKey: String(deliver.routing_key),
                    consumer: String(deliver.consumer_tag)))
        case AMQP_BASIC_ACK_METHOD:
            let ack = decoded(amqp_basic_ack_t.self)
            self = .confirmed(tag: ack.delivery_tag, multiple: ack.multiple != 0)
        case AMQP_BASIC_NACK_METHOD:
            let nack = decoded(amqp_basic_nack_t.self)
            self = .refused(tag: nack.delivery_tag, multiple: nack.multiple != 0)
        case AMQP_BASIC_RETURN_METHOD:
            let returned = decoded(amqp_basic_return_t.self)
            self = .content(
                ContentHeading(
                    purpose: .returned(replyCode: Int(returned.reply_code), text: String(returned.reply_text)),
                    exchange: String(returned.exchange), routingKey: String(returned.routing_key)))
        case AMQP_BASIC_GET_OK_METHOD:
            let get = decoded(amqp_basic_get_ok_t.self)
            self = .content(
                ContentHeading(
                    purpose: .fetched(tag: get.delivery_tag, isRedelivered: get.redelivered != 0),
                    exchange: String(get.exchange), routingKey: String(get.routing_key)))
        case AMQP_BASIC_GET_EMPTY_METHOD: self = .getEmpty
        case AMQP_BASIC_CONSUME_OK_METHOD:
            self = .consuming(consumer: String(decoded(amqp_basic_consume_ok_t.self).consumer_tag))
        case AMQP_BASIC_CANCEL_METHOD:
            self = .cancelledByBroker(consumer: String(decoded(amqp_basic_cancel_t.self).consumer_tag))
        case AMQP_BASIC_CANCEL_OK_METHOD:
            self = .cancelled(consumer: String(decoded(amqp_basic_cancel_ok_t.self).consumer_tag))
        case AMQP_QUEUE_DECLARE_OK_METHOD: self = .declared
        case AMQP_CHANNEL_CLOSE_METHOD:
            let close = decoded(amqp_channel_close_t.self)
            self = .channelClosed(replyCode: Int(close.reply_code), text: String(close.reply_text))
        case AMQP_CONNECTION_CLOSE_METHOD:
            let close = decoded(amqp_connection_close_t.self)
            self = .connectionClosed(replyCode: Int(close.reply_code), text: String(close.reply_text))
        case AMQP_CONNECTION_BLOCKED_METHOD:
            self = .blocked(reason: String(decoded(amqp_connection_blocked_t.self).reason))
        case AMQP_CONNECTION_UNBLOCKED_METHOD: self = .unblocked
        default: self = .other(method.id)
        }
    }
}
