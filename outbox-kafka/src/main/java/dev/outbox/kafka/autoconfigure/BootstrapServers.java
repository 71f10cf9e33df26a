package dev.outbox.kafka.autoconfigure;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.KafkaResourceFactory;
import org.springframework.util.StringUtils;

/** Servers of the application's clients, which a supplier of its factory may change: to those of another cluster, for example. */
final class BootstrapServers {

    private BootstrapServers() {}

    /** Makes a factory ask the application's for the servers of each new client, unless its own configuration names others. */
    static void follow(
            Supplier<Map<String, Object>> application, Map<String, Object> own, KafkaResourceFactory factory) {
        if (Objects.equals(servers(application.get()), servers(own))) {
            factory.setBootstrapServersSupplier(() -> servers(application.get()));
        }
    }

    private static @Nullable String servers(Map<String, Object> configuration) {
        Object servers = configuration.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
        return servers instanceof Collection<?> list
                ? StringUtils.collectionToCommaDelimitedString(list)
                : Objects.toString(servers, null);
    }
}
