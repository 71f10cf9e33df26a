package dev.outbox.spring.autoconfigure;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Warns of other outboxes in the application. They may be intended, while an application moves from one to the other. */
final class OtherOutboxes {

    private static final Logger log = LoggerFactory.getLogger(OtherOutboxes.class);

    private static final List<Other> KNOWN = List.of(
            new Other(
                    "org.springframework.modulith.events.core.EventPublicationRegistry",
                    "Spring Modulith's event publication registry",
                    "the events that ApplicationEventPublisher passes to @TransactionalEventListener methods",
                    "spring-modulith-starter-jdbc or spring-modulith-starter-jpa"),
            new Other(
                    "io.namastack.outbox.Outbox",
                    "namastack's outbox",
                    "the records that are scheduled with its own Outbox",
                    "namastack-outbox-starter-jdbc or namastack-outbox-starter-jpa"));

    private final ListableBeanFactory beanFactory;

    OtherOutboxes(ListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Outbox of another library, known by a class of which it has a bean. */
    private record Other(String className, String name, String events, String dependency) {}

    /** Writes one warning for each. */
    void report() {
        ClassLoader loader = OtherOutboxes.class.getClassLoader();
        for (Other other : KNOWN) {
            if (!ClassUtils.isPresent(other.className(), loader)) {
                continue;
            }
            Class<?> type = ClassUtils.resolveClassName(other.className(), loader);
            String beans = String.join(", ", beanFactory.getBeanNamesForType(type, true, false));
            if (!beans.isEmpty()) {
                log.warn(
                        "{} is active too (bean {}). It stores and delivers {}; this outbox stores and delivers what"
                                + " OutboxPublisher publishes, and Spring events of @Outboxed classes. An event that goes to both is"
                                + " handled twice. If you need one of them only, remove the dependency on {}",
                        other.name(),
                        beans,
                        other.events(),
                        other.dependency());
            }
        }
    }
}
