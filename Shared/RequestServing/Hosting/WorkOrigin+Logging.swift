package import Logging
package import ServiceMessages

extension WorkOrigin {
    /// The provider that adds `request` and `trace` to every log line that is written for a request or for work that a
    /// request caused.
    package static let metadataProvider = Logger.MetadataProvider {
        guard let origin = current else { return [:] }
        var metadata: Logger.Metadata = [:]
        if let requestID = origin.requestID { metadata["request"] = "\(requestID)" }
        if let trace = origin.trace { metadata["trace"] = "\(trace)" }
        return metadata
    }
}
