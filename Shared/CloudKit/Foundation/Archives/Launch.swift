/// Makes the module's classes known to every `NSKeyedUnarchiver`. `CCloudKitLaunch` calls this function before `main`.
@_cdecl("zonda_cloudkit_register_classes")
func registerClasses() {}
