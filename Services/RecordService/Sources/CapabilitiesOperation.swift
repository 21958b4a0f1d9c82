internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing

/// `service.capabilities`: returns the service's limits, so that clients do not have to discover them from refused
/// requests (semantics 4.6). Uses neither the database nor the broker.
struct CapabilitiesOperation: Sendable {
    let limits: Limits
    let throttle: ThrottleConfiguration

    func answer() -> Answer {
        Answer { writer in
            writer.member("profile", limits.profile.rawValue)
            writer.key("limits")
            writer.object { writer in
                for limit in Limit.record {
                    writer.key(limit.name)
                    writer.int(Int64(limits[keyPath: limit.value]))
                }
                writer.member("nameBytes", limits.maxNameBytes)
            }
            writer.key("throttle")
            writer.object { writer in
                Self.write("container", throttle.container, to: &writer)
                Self.write("user", throttle.user, to: &writer)
            }
        }
    }

    /// Writes a rate, unless it is nil.
    private static func write(_ whose: StaticString, _ rate: TokenBucket.Rate?, to writer: inout WireWriter) {
        guard let rate else { return }
        writer.key(whose)
        writer.object { writer in
            writer.member("rate", rate.perSecond)
            writer.member("burst", rate.burst)
        }
    }
}
