internal import CloudKitModel
internal import RequestServing
internal import ServiceRuntime

/// The settings of the gateway, beside `HostSettings` and those of its parts.
struct GatewaySettings: SettingGroup {
    let healthPort = Setting.healthPort(default: 8104)
    let httpHost = Setting("http.host", .text, default: "127.0.0.1", "where clients are served")
    let httpPort = Setting("http.port", .port, default: 8080, "the port of it")
    let publicURL = Setting(
        optional: "url", .url, absence: "`http://127.0.0.1:` and the port",
        "the address at which clients reach the gateway; sign-in pages are under it")
    let certificateFile = Setting(
        optional: "tls.certificateFile", .path, absence: "none: plain HTTP",
        "a PEM file of the certificate that clients are shown, and those between it and a known authority")
    let keyFile = Setting(optional: "tls.keyFile", .path, "a PEM file of the certificate's private key")
    let proxyField = Setting(
        "http.proxyField", .choice, default: TrustedProxies.Field.either,
        "the header in which trusted proxies say for whom they forward; `either` believes none when a request has both, since one may be the client's own"
    )
    let sendingTime = Setting(
        "http.sendingTime", .time(.seconds(1)...(.seconds(3600))), default: .seconds(120),
        "how long a client may take to send a request")
    let maxBody = Setting(
        "http.maxBody", .integer(1024...128 << 20, unit: "bytes"), default: Limits().maxBodyBytes,
        "a request's body, inflated")
    let maxBodies = Setting(
        "http.maxBodies", .integer(1 << 20...1 << 40, unit: "bytes"), default: 256 << 20,
        "bodies of requests in memory, all together; more are refused for a moment")
    let requestTime = Setting(
        "gateway.requestTime", .time(.seconds(1)...(.seconds(300))), default: .seconds(25),
        "how long a service may take to answer")
    let maxConcurrent = Setting(
        "gateway.maxConcurrent", .integer(1...100_000), default: 1000,
        "requests that are answered at once, polls not counted; more are refused for a moment")
    let addressShare = Setting(
        "gateway.addressShare", .integer(1...100, unit: "percent"), default: 25,
        "the most of `http.maxBodies` and `gateway.maxConcurrent` that one address (of IPv6, one /64 network) may take")
    let containerShare = Setting(
        "gateway.containerShare", .integer(1...100, unit: "percent"), default: 75,
        "the most of both that the requests of one container may take")
}
