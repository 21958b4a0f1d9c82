import CRabbitMQ

// All conversions copy, because the library reuses its buffers after they are released.

extension String {
    /// Creates a string by copying the bytes. Invalid UTF-8 becomes replacement characters.
    init(_ bytes: amqp_bytes_t) {
        self.init(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len), as: UTF8.self)
    }
}

extension amqp_bytes_t {
    /// A copy of the bytes if they are not valid UTF-8; otherwise nil.
    fileprivate var bytesOtherThanUTF8: [UInt8]? {
        let bytes = UnsafeRawBufferPointer(start: bytes, count: len)
        return String(validating: bytes, as: UTF8.self) == nil ? Array(bytes) : nil
    }
}

extension AMQPTable {
    /// The maximum nesting depth of tables and arrays in headers; deeper tables and arrays are read as `void`. One
    /// frame can contain 20,000 nested tables, and each level takes stack space when it is read, compared or freed.
    private static let maxDepth = 8

    /// - Parameter depth: the nesting depth of the table. A message's headers have depth 0.
    init(_ table: amqp_table_t, depth: Int = 0) {
        self.init()
        for entry in UnsafeBufferPointer(start: table.entries, count: Int(table.num_entries)) {
            append(String(entry.key), AMQPValue(entry.value, depth: depth))
        }
    }

    fileprivate static func isTooDeep(_ depth: Int) -> Bool { depth > maxDepth }
}

extension AMQPValue {
    /// - Parameter depth: the nesting depth of the table or array that contains the value.
    init(_ field: amqp_field_value_t, depth: Int) {
        let value = field.value
        switch amqp_field_value_kind_t(UInt32(field.kind)) {
        case AMQP_FIELD_KIND_BOOLEAN: self = .bool(value.boolean != 0)
        case AMQP_FIELD_KIND_I8: self = .int64(Int64(value.i8))
        case AMQP_FIELD_KIND_U8: self = .int64(Int64(value.u8))
        case AMQP_FIELD_KIND_I16: self = .int64(Int64(value.i16))
        case AMQP_FIELD_KIND_U16: self = .int64(Int64(value.u16))
        case AMQP_FIELD_KIND_I32: self = .int64(Int64(value.i32))
        case AMQP_FIELD_KIND_U32: self = .int64(Int64(value.u32))
        case AMQP_FIELD_KIND_I64: self = .int64(value.i64)
        case AMQP_FIELD_KIND_U64: self = .int64(Int64(clamping: value.u64))
        case AMQP_FIELD_KIND_F32: self = .double(Double(value.f32))
        case AMQP_FIELD_KIND_F64: self = .double(value.f64)
        case AMQP_FIELD_KIND_DECIMAL:
            var scaled = Double(value.decimal.value)
            for _ in 0..<value.decimal.decimals {
                scaled /= 10
            }
            self = .double(scaled)
        case AMQP_FIELD_KIND_UTF8: self = .string(String(value.bytes))
        case AMQP_FIELD_KIND_BYTES:
            self = .bytes(Array(UnsafeRawBufferPointer(start: value.bytes.bytes, count: value.bytes.len)))
        case AMQP_FIELD_KIND_TIMESTAMP: self = .timestamp(value.u64)
        case AMQP_FIELD_KIND_TABLE where AMQPTable.isTooDeep(depth + 1),
            AMQP_FIELD_KIND_ARRAY where AMQPTable.isTooDeep(depth + 1):
            self = .void
        case AMQP_FIELD_KIND_TABLE: self = .table(AMQPTable(value.table, depth: depth + 1))
        case AMQP_FIELD_KIND_ARRAY:
            let fields = UnsafeBufferPointer(start: value.array.entries, count: Int(value.array.num_entries))
            self = .array(fields.map { AMQPValue($0, depth: depth + 1) })
        default: self = .void
        }
    }
}

extension AMQPProperties {
    init(_ properties: amqp_basic_properties_t) {
        let flags = properties._flags
        func string(_ flag: Int32, _ bytes: amqp_bytes_t) -> String? {
            flags & UInt32(flag) == 0 ? nil : String(bytes)
        }
        self.init(
            messageID: string(AMQP_BASIC_MESSAGE_ID_FLAG, properties.message_id),
            correlationID: string(AMQP_BASIC_CORRELATION_ID_FLAG, properties.correlation_id),
            correlationBytes: flags & UInt32(AMQP_BASIC_CORRELATION_ID_FLAG) == 0
                ? nil : properties.correlation_id.bytesOtherThanUTF8,
            replyTo: string(AMQP_BASIC_REPLY_TO_FLAG, properties.reply_to),
            contentType: string(AMQP_BASIC_CONTENT_TYPE_FLAG, properties.content_type),
            type: string(AMQP_BASIC_TYPE_FLAG, properties.type),
            appID: string(AMQP_BASIC_APP_ID_FLAG, properties.app_id),
            userID: string(AMQP_BASIC_USER_ID_FLAG, properties.user_id),
            expiration: string(AMQP_BASIC_EXPIRATION_FLAG, properties.expiration),
            timestamp: flags & UInt32(AMQP_BASIC_TIMESTAMP_FLAG) == 0 ? nil : properties.timestamp,
            isPersistent: flags & UInt32(AMQP_BASIC_DELIVERY_MODE_FLAG) != 0
                && UInt32(properties.delivery_mode) == AMQP_DELIVERY_PERSISTENT.rawValue,
            priority: flags & UInt32(AMQP_BASIC_PRIORITY_FLAG) == 0 ? nil : properties.priority,
            headers: flags & UInt32(AMQP_BASIC_HEADERS_FLAG) == 0 ? [:] : AMQPTable(properties.headers))
    }

    /// Returns the properties in the C library's form, with their strings allocated in `arena`.
    func encoded(in arena: Arena) -> amqp_basic_properties_t {
        var properties = amqp_basic_properties_t()
        func set(_ flag: Int32, _ string: String?, _ field: WritableKeyPath<amqp_basic_properties_t, amqp_bytes_t>) {
            if let string {
                properties._flags |= UInt32(flag)
                properties[keyPath: field] = arena.bytes(string)
            }
        }
        set(AMQP_BASIC_MESSAGE_ID_FLAG, messageID, \.message_id)
        set(AMQP_BASIC_CORRELATION_ID_FLAG, correlationID, \.correlation_id)
        if let correlationBytes {
            properties._flags |= UInt32(AMQP_BASIC_CORRELATION_ID_FLAG)
            properties.correlation_id = arena.bytes(correlationBytes)
        }
        set(AMQP_BASIC_REPLY_TO_FLAG, replyTo, \.reply_to)
        set(AMQP_BASIC_CONTENT_TYPE_FLAG, contentType, \.content_type)
        set(AMQP_BASIC_TYPE_FLAG, type, \.type)
        set(AMQP_BASIC_APP_ID_FLAG, appID, \.app_id)
        set(AMQP_BASIC_USER_ID_FLAG, userID, \.user_id)
        set(AMQP_BASIC_EXPIRATION_FLAG, expiration, \.expiration)
        if let timestamp {
            properties._flags |= UInt32(AMQP_BASIC_TIMESTAMP_FLAG)
            properties.timestamp = timestamp
        }
        properties._flags |= UInt32(AMQP_BASIC_DELIVERY_MODE_FLAG)
        properties.delivery_mode = isPersistent ? 2 : 1
        if let priority {
            properties._flags |= UInt32(AMQP_BASIC_PRIORITY_FLAG)
            properties.priority = priority
        }
        if !headers.isEmpty {
            properties._flags |= UInt32(AMQP_BASIC_HEADERS_FLAG)
            properties.headers = arena.table(headers)
        }
        return properties
    }
}
