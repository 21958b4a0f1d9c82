@testable package import Gateway

/// The gateway's type, for files that import Hummingbird, which has a type of the same name.
package typealias WebEndpointPath = EndpointPath
