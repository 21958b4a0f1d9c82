#include "CGatewayDocuments.h"

// `#embed` is part of C23. Clang supports it as an extension in every mode, and lists the files among the dependencies of
// the object file, so that a build picks up their changes. It costs a tenth of a second; as arrays or literals in Swift,
// the same texts would cost up to half a minute and 4,000 lines of source.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../../deploy/docs/openapi.yaml"
};

static const unsigned char page[] = {
#embed "page.html"
};

struct zonda_text zonda_openapi_document(void) {
    return (struct zonda_text){document, sizeof document};
}

struct zonda_text zonda_openapi_page(void) {
    return (struct zonda_text){page, sizeof page};
}
