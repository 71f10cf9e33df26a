package dev.outbox.sample.adapters.fcm;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import org.springframework.core.io.Resource;
import org.springframework.security.converter.RsaKeyConverters;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Service account of a Firebase project, with its private key. */
record ServiceAccount(String projectId, String clientEmail, String keyId, PrivateKey key, URI tokenUri) {

    /** Reads a key file. The exceptions do not quote it. */
    static ServiceAccount read(Resource file, JsonMapper json) {
        try (InputStream content = file.getInputStream()) {
            JsonNode account = json.readTree(content);
            return new ServiceAccount(
                    text(account, "project_id"),
                    text(account, "client_email"),
                    text(account, "private_key_id"),
                    key(text(account, "private_key")),
                    URI.create(text(account, "token_uri")));
        } catch (IOException | JacksonException ex) {
            throw new IllegalArgumentException("push.fcm.service-account is not a JSON file: " + file);
        }
    }

    private static String text(JsonNode account, String field) {
        String text = account.path(field).asString("");
        if (text.isBlank()) {
            throw new IllegalArgumentException("push.fcm.service-account lacks the field " + field);
        }
        return text;
    }

    private static PrivateKey key(String pem) {
        try {
            return requireNonNull(RsaKeyConverters.pkcs8()
                    .convert(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))));
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException(
                    "push.fcm.service-account has a private_key that is not an RSA key in PKCS #8");
        }
    }

    @Override
    public String toString() {
        return "ServiceAccount[clientEmail=" + clientEmail + "]";
    }
}
