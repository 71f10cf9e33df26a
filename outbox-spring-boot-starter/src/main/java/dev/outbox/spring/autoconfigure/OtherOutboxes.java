package dev.outbox.spring.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Warns of other outboxes in the application. They may be intended, while an application moves from one to the other. */
final class OtherOutboxes {

    private static final Logger log = LoggerFactory.getLogger(OtherOutboxes.class);

    /** Their names by a class of which they have a bean. */
    private static final Map<String, Other> KNOWN = new LinkedHashMap<>();

    static {
        KNOWN.put(
                "org.springframework.modulith.events.core.EventPublicationRegistry",
                new Other(
                        "Spring Modulith's event publication registry",
                        "the events that ApplicationEventPublisher passes to @TransactionalEventListener methods",
                        "the dependency on spring-modulith-starter-jdbc or spring-modulith-starter-jpa"));
        KNOWN.put(
                "io.namastack.outbox.Outbox",
                new Other(
                        "namastack's outbox",
                        "the records that are scheduled with its own Outbox",
                        "the dependency on namastack-outbox-starter-jdbc or namastack-outbox-starter-jpa"));
    }

    private final ListableBeanFactory beanFactory;

    OtherOutboxes(ListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    private record Other(String name, String events, String dependency) {}

    /** Writes one warning for each. */
    void report() {
        KNOWN.forEach((className, other) -> {
            List<String> beans = beans(className);
            if (!beans.isEmpty()) {
                log.warn(
                        "{} is active too (bean {}). It stores and delivers {}; this outbox stores and delivers what"
                                + " OutboxPublisher publishes, and Spring events of @Outboxed classes. An event that goes to both is"
                                + " handled twice. If you need one of them only, remove {}",
                        other.name(),
                        String.join(", ", beans),
                        other.events(),
                        other.dependency());
            }
        });
    }

    private List<String> beans(String className) {
        ClassLoader loader = OtherOutboxes.class.getClassLoader();
        return ClassUtils.isPresent(className, loader)
                ? List.of(beanFactory.getBeanNamesForType(ClassUtils.resolveClassName(className, loader), true, false))
                : List.of();
    }
}
