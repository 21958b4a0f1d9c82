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
}
