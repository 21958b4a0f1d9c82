#include "CCloudKitLaunch.h"

__attribute__((constructor)) static void launch(void) { zonda_cloudkit_register_classes(); }
