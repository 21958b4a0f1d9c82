# shellcheck shell=bash
# A certificate authority in $ZONDA_HOME/tls for the tests of encrypted connections, and a certificate for 127.0.0.1 and
# localhost that it has signed. No program outside the home trusts the authority.

tls_prepare() { [[ -e $ZONDA_HOME/tls/server.pem ]] || home_locked tls tls_make; }

tls_make() {
    local folder=$ZONDA_HOME/tls
    [[ -e $folder/server.pem ]] && return
    (
        umask 077
        mkdir -p "$folder"
        cd "$folder"
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 3650 \
            -subj '/CN=Zonda test authority' -keyout ca.key -out ca.pem
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj '/CN=localhost' \
            -keyout server.key -out server.csr
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 3650 -out server.pem.new \
            -extfile <(printf 'subjectAltName = DNS:localhost, IP:127.0.0.1\nextendedKeyUsage = serverAuth\n')
        rm server.csr
        mv server.pem.new server.pem
    ) >"$ZONDA_HOME/log/tls.log" 2>&1 || fail "the certificates could not be created: see $ZONDA_HOME/log/tls.log"
}
