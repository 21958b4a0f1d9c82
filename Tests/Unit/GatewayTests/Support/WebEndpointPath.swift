@testable import Gateway

/// The gateway's, where Hummingbird has one of that name too.
typealias WebEndpointPath = EndpointPath
