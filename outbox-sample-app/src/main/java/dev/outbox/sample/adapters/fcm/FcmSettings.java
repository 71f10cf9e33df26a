package dev.outbox.sample.adapters.fcm;

import dev.outbox.sample.http.GatewayTimeouts;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.io.Resource;

/**
 * Settings of FCM.
 *
 * @param serviceAccount Key file of the service account, as downloaded from the Firebase console. Required.
 * @param baseUrl Address of the API.
 * @param timeouts Limits of a call.
 */
@ConditionalOnProperty(name = "push.gateway", havingValue = "fcm")
@ConfigurationProperties("push.fcm")
record FcmSettings(
        Resource serviceAccount,
        @DefaultValue("https://fcm.googleapis.com") URI baseUrl,
        @DefaultValue GatewayTimeouts timeouts) {

    FcmSettings {
        requireKeyFile(serviceAccount);
    }

    private static void requireKeyFile(@Nullable Resource file) {
        if (file == null || !file.isReadable()) {
            throw new IllegalArgumentException(
                    "push.fcm.service-account must name the readable key file of a service account: " + file);
        }
    }
}
