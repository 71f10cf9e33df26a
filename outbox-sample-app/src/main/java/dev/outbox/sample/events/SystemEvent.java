package dev.outbox.sample.events;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Changes by operators, published in the stream {@code everbit.system.event}. */
public sealed interface SystemEvent {

    /** A setting was changed, such as the kill switch. */
    record SettingChanged(String key, String value) implements SystemEvent {}

    /** An operator paused, resumed, retried, skipped or replayed deliveries. */
    record OperationPerformed(
            long operationId,
            String action,
            String actor,
            String reason,
            @Nullable String stream,
            @Nullable String handlerId,
            @Nullable UUID eventId)
            implements SystemEvent {}
}
