package import Logging
package import ServiceMessages

extension WorkOrigin {
    /// The members `request` and `trace` of every line that is logged for a request or for what it brought about.
    package static let metadataProvider = Logger.MetadataProvider {
        guard let origin = current else { return [:] }
        var metadata: Logger.Metadata = [:]
        if let requestID = origin.requestID { metadata["request"] = "\(requestID)" }
        if let trace = origin.trace { metadata["trace"] = "\(trace)" }
        return metadata
    }
}
