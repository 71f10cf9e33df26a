package dev.outbox.sample.operations;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.NotBlank;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * Request to retry or skip deliveries: the criteria, the operator and the reason. An unknown criterion is refused, because a typing error would
 * select too many deliveries.
 */
record DeliveryCommand(
        @Nullable String handler,
        @Nullable Set<DeliveryStatus> status,
        @Nullable String stream,
        @Nullable String eventType,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable UUID eventId,
        @Nullable String errorCode,
        @Nullable String by,
        @NotBlank String reason,
        @JsonAnySetter @Schema(hidden = true) @Nullable Map<String, Object> unknown) {

    DeliverySelection selection() {
        if (unknown != null && !unknown.isEmpty()) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "there is no such criterion: " + String.join(", ", unknown.keySet()));
        }
        return new DeliveryFilter(handler, status, stream, eventType, aggregateType, aggregateId, eventId, errorCode)
                .selection();
    }
}
