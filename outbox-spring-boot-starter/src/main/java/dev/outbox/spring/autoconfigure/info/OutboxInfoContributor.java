package dev.outbox.spring.autoconfigure.info;

import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/** Describes what this instance runs: version, schemas, polled streams and handlers with their event types. Asks no database. */
final class OutboxInfoContributor implements InfoContributor {

    static final String VERSION_FILE = "META-INF/outbox.properties";

    private final OutboxRuntime runtime;
    private final RuntimeSettings settings;
    private final String version;

    OutboxInfoContributor(OutboxRuntime runtime, RuntimeSettings settings) {
        this.runtime = runtime;
        this.settings = settings;
        this.version = version();
    }

    @Override
    public void contribute(Info.Builder builder) {
        Map<String, Object> outbox = new LinkedHashMap<>();
        outbox.put("version", version);
        outbox.put("schema", settings.schemas().outbox().name());
        outbox.put("archiveSchema", settings.schemas().archive().name());
        outbox.put("pollerEnabled", settings.polling().enabled());
        outbox.put("polledStreams", new TreeSet<>(settings.polling().polled()));
        Map<String, Object> handlers = new TreeMap<>();
        runtime.eventTypesByHandler().forEach((id, types) -> handlers.put(id, new TreeSet<>(types)));
        outbox.put("handlers", handlers);
        builder.withDetail("outbox", outbox);
    }

    private static String version() {
        ClassPathResource file = new ClassPathResource(VERSION_FILE, OutboxInfoContributor.class.getClassLoader());
        try {
            return PropertiesLoaderUtils.loadProperties(file).getProperty("version");
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
