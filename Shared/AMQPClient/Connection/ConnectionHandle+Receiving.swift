import CRabbitMQ
import Glibc

extension ConnectionHandle {
    /// Returns the next frame and its channel, or nil if none arrives within `timeout`.
    ///
    /// With a timeout of zero, nil means that neither the library nor the socket contains a complete frame. Only then
    /// is it safe to `poll`, because TLS and synchronous methods can leave data inside the library.
    ///
    /// - Throws: `.connectionLost`, for example if the broker has been silent for two heartbeat intervals.
    func receive(within timeout: Duration = .zero) throws(AMQPError) -> (channel: UInt16, frame: Frame)? {
        var limit = timeval(timeout)
        while true {
            var frame = amqp_frame_t()
            let status = amqp_simple_wait_frame_noblock(state, &frame, &limit)
            if status == AMQP_STATUS_TIMEOUT.rawValue {
                return nil
            }
            try Self.check(status, "receive")
            switch Int32(frame.frame_type) {
            case AMQP_FRAME_METHOD:
                return (frame.channel, .method(Method(frame.payload.method)))
            case AMQP_FRAME_HEADER:
                let header = frame.payload.properties
                guard let decoded = header.decoded else {
                    throw AMQPError(.protocolViolation, "the broker sent a header without properties")
                }
                let properties = decoded.assumingMemoryBound(to: amqp_basic_properties_t.self).pointee
                return (frame.channel, .header(bodySize: header.body_size, AMQPProperties(properties)))
            case AMQP_FRAME_BODY:
                let piece = frame.payload.body_fragment
                return (frame.channel, .body(UnsafeRawBufferPointer(start: piece.bytes, count: piece.len)))
            default:
                continue
            }
        }
    }

    /// Whether the library has buffered data that `poll` does not report. The library may have read such data while a
    /// write was blocked.
    var hasBufferedData: Bool {
        amqp_frames_enqueued(state) != 0 || amqp_data_in_buffer(state) != 0
    }

    /// Releases the library's receive buffers. All frames received so far must have been copied.
    func releaseBuffers() {
        // Frames that arrived during a synchronous method are still queued in these buffers.
        if amqp_frames_enqueued(state) == 0 {
            amqp_maybe_release_buffers(state)
        }
    }
}
