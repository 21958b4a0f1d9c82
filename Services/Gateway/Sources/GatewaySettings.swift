internal import CloudKitModel
internal import RequestServing
internal import ServiceRuntime

/// The settings of the gateway, in addition to `HostSettings` and the settings of its parts.
struct GatewaySettings: SettingGroup {
    let healthPort = Setting.healthPort(default: 8104)
    let httpHost = Setting("http.host", .text, default: "127.0.0.1", "address on which clients are served")
    let httpPort = Setting("http.port", .port, default: 8080, "port on which clients are served")
    let publicURL = Setting(
        optional: "url", .url, absence: "`http://127.0.0.1:` and the port",
        "URL at which clients reach the gateway; the sign-in pages are below it")
    let certificateFile = Setting(
        optional: "tls.certificateFile", .path, absence: "none: plain HTTP",
        "a PEM file that contains the server's certificate and the intermediate certificates")
    let keyFile = Setting(optional: "tls.keyFile", .path, "a PEM file that contains the certificate's private key")
    let proxyField = Setting(
        "http.proxyField", .choice, default: TrustedProxies.Field.either,
        "the header in which trusted proxies name the client; with `either`, both are ignored if a request contains both, because the client may have sent one of them"
    )
    let sendingTime = Setting(
        "http.sendingTime", .time(.seconds(1)...(.seconds(3600))), default: .seconds(120),
        "maximum time that a client may take to send a request")
    let maxBody = Setting(
        "http.maxBody", .integer(1024...128 << 20, unit: "bytes"), default: Limits().maxBodyBytes,
        "maximum size of a request body after decompression")
    let maxBodies = Setting(
        "http.maxBodies", .integer(1 << 20...1 << 40, unit: "bytes"), default: 256 << 20,
        "maximum total size of request bodies in memory; further requests are refused with `TRY_AGAIN_LATER`")
    let requestTime = Setting(
        "gateway.requestTime", .time(.seconds(1)...(.seconds(300))), default: .seconds(25),
        "maximum time that a service may take to answer")
    let maxConcurrent = Setting(
        "gateway.maxConcurrent", .integer(1...100_000), default: 1000,
        "maximum number of concurrent requests, not counting polls; further requests are refused with `TRY_AGAIN_LATER`"
    )
    let addressShare = Setting(
        "gateway.addressShare", .integer(1...100, unit: "percent"), default: 25,
        "maximum share of `http.maxBodies` and `gateway.maxConcurrent` that one address (for IPv6, one /64 network) may take"
    )
    let containerShare = Setting(
        "gateway.containerShare", .integer(1...100, unit: "percent"), default: 75,
        "maximum share of `http.maxBodies` and `gateway.maxConcurrent` that the requests of one container may take")
}
