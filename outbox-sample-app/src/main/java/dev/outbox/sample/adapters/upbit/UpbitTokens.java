package dev.outbox.sample.adapters.upbit;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/** Tokens that authorize one request each: JWTs over a nonce and the SHA-512 hash of the parameters. */
final class UpbitTokens {

    private final String accessKey;
    private final String secretKey;

    UpbitTokens(String accessKey, String secretKey) {
        this.accessKey = accessKey;
        this.secretKey = secretKey;
    }

    /** Returns a token for a request with these parameters, in the form of a query that is not encoded. */
    String of(String query) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-512").digest(query.getBytes(StandardCharsets.UTF_8));
            JWTClaimsSet claims = new JWTClaimsSet.Builder()
                    .claim("access_key", accessKey)
                    .claim("nonce", UUID.randomUUID().toString())
                    .claim("query_hash", HexFormat.of().formatHex(hash))
                    .claim("query_hash_alg", "SHA512")
                    .build();
            SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
            token.sign(new MACSigner(secretKey));
            return token.serialize();
        } catch (NoSuchAlgorithmException | JOSEException ex) {
            throw new IllegalStateException("the secret key of Upbit cannot sign", ex);
        }
    }
}
