package dev.outbox.modulith.internal;

import dev.outbox.forwarding.autoconfigure.RouteLifecycle;
import dev.outbox.spring.autoconfigure.HandledPayloads;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.modulith.events.core.ConditionalEventListener;

/** Warns of events that the outbox and Spring Modulith would both deliver. */
public record DoubleDeliveries(ModuleListeners listeners, HandledPayloads handlers, ListableBeanFactory beans)
        implements ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(DoubleDeliveries.class);

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        listeners
                .others()
                .forEach((type, listener) -> handlers.handlerOf(type)
                        .ifPresent((handler) -> log.warn(
                                "Event {} has two ways: Spring Modulith delivers it to {} when it is published as a Spring event,"
                                        + " and the outbox to handler '{}' when OutboxPublisher publishes it. Annotate the"
                                        + " class with @Outboxed, so that the outbox delivers it to both",
                                type.getName(),
                                listener,
                                handler)));
        TreeSet<String> externalized =
                listeners.externalized().stream().map(Class::getName).collect(Collectors.toCollection(TreeSet::new));
        if (!externalized.isEmpty() && has(ConditionalEventListener.class) && has(RouteLifecycle.class)) {
            log.warn(
                    "Spring Modulith externalizes {}, which the outbox stores for their listeners, so a route that takes them sends"
                            + " them a second time. Set spring.modulith.events.externalization.mode=outbox, or let no route take them",
                    externalized);
        }
    }

    private boolean has(Class<?> type) {
        return beans.getBeanNamesForType(type, true, false).length > 0;
    }
}
