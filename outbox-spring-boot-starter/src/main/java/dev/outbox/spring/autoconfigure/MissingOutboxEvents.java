package dev.outbox.spring.autoconfigure;

import dev.outbox.Outboxed;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Warns once for each class of Spring events that an outbox would store, if there is none. */
final class MissingOutboxEvents implements ApplicationListener<PayloadApplicationEvent<?>> {

    private static final Logger log = LoggerFactory.getLogger(MissingOutboxEvents.class);

    private final Supplier<MissingOutbox> explanation;
    private final Map<Class<?>, Boolean> seen = new ConcurrentHashMap<>();

    MissingOutboxEvents(Supplier<MissingOutbox> explanation) {
        this.explanation = explanation;
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<?> event) {
        Class<?> type = event.getPayload().getClass();
        boolean first = !seen.containsKey(type) && seen.putIfAbsent(type, true) == null;
        if (first && MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(Outboxed.class)) {
            MissingOutbox missing = explanation.get();
            log.warn(
                    "This context has no outbox and stores no Spring events of {}, because {}. {}",
                    type.getName(),
                    missing.reason(),
                    missing.action());
        }
    }
}
