import CRabbitMQ

/// Allocates the strings and tables for one call into the C library and frees them all together.
///
/// Used only on the connection's thread. Wraps the library's own memory pool, which keeps its pages between calls.
final class Arena {
    private var pool = amqp_pool_t()

    init() {
        init_amqp_pool(&pool, 16_384)
    }

    deinit {
        empty_amqp_pool(&pool)
    }

    /// Invalidates all memory allocated so far.
    func reset() {
        recycle_amqp_pool(&pool)
    }

    func bytes(_ string: String) -> amqp_bytes_t {
        var string = string
        return string.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    func bytes(_ bytes: [UInt8]) -> amqp_bytes_t {
        bytes.withUnsafeBytes { copy($0) }
    }

    func table(_ table: AMQPTable) -> amqp_table_t {
        guard !table.isEmpty else {
            return amqp_empty_table
        }
        let entries = allocate(amqp_table_entry_t.self, count: table.count)
        for (index, (key, value)) in table.enumerated() {
            entries[index] = amqp_table_entry_t(key: bytes(key), value: field(value))
        }
        return amqp_table_t(num_entries: Int32(table.count), entries: entries)
    }

    private func field(_ value: AMQPValue) -> amqp_field_value_t {
        var field = amqp_field_value_t()
        func set(_ kind: amqp_field_value_kind_t) {
            field.kind = UInt8(truncatingIfNeeded: kind.rawValue)
        }
        switch value {
        case .bool(let bool):
            set(AMQP_FIELD_KIND_BOOLEAN)
            field.value.boolean = bool ? 1 : 0
        case .int64(let integer):
            set(AMQP_FIELD_KIND_I64)
            field.value.i64 = integer
        case .double(let double):
            set(AMQP_FIELD_KIND_F64)
            field.value.f64 = double
        case .string(let string):
            set(AMQP_FIELD_KIND_UTF8)
            field.value.bytes = bytes(string)
        case .bytes(let array):
            set(AMQP_FIELD_KIND_BYTES)
            field.value.bytes = bytes(array)
        case .timestamp(let seconds):
            set(AMQP_FIELD_KIND_TIMESTAMP)
            field.value.u64 = seconds
        case .table(let inner):
            set(AMQP_FIELD_KIND_TABLE)
            field.value.table = table(inner)
        case .array(let values):
            set(AMQP_FIELD_KIND_ARRAY)
            let entries = allocate(amqp_field_value_t.self, count: values.count)
            for (index, value) in values.enumerated() {
                entries[index] = self.field(value)
            }
            field.value.array = amqp_array_t(num_entries: Int32(values.count), entries: entries)
        case .void:
            set(AMQP_FIELD_KIND_VOID)
        }
        return field
    }

    private func copy(_ source: UnsafeRawBufferPointer) -> amqp_bytes_t {
        guard let base = source.baseAddress, !source.isEmpty else {
            return amqp_empty_bytes
        }
        let copy = allocate(UInt8.self, count: source.count)
        UnsafeMutableRawPointer(copy).copyMemory(from: base, byteCount: source.count)
        return amqp_bytes_t(len: source.count, bytes: copy)
    }

    private func allocate<T>(_ type: T.Type, count: Int) -> UnsafeMutablePointer<T> {
        // The pool rounds every allocation up to a multiple of eight bytes, the alignment of its structures.
        guard let memory = amqp_pool_alloc(&pool, max(1, count) * MemoryLayout<T>.stride) else {
            preconditionFailure("out of memory")
        }
        return memory.bindMemory(to: T.self, capacity: max(1, count))
    }
}
