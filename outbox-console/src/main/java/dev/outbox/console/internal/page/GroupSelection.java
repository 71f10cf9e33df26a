package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliverySelection.Place;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.spring.internal.RequestFilters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Failed deliveries of one handler, with one error code or any, as the parameters of a page select them.
 *
 * @param handlerId the handler
 * @param errorCode the code of the last failure; {@code null} for any
 * @param retrying whether to select the deliveries that are retried, instead of the dead letters
 * @param place after which delivery to begin; {@code null} for the beginning
 */
record GroupSelection(
        String handlerId,
        @Nullable String errorCode,
        boolean retrying,
        @Nullable Place place) {

    static GroupSelection of(Inputs inputs) {
        return new GroupSelection(
                inputs.required("handler"),
                inputs.raw("errorCode").isBlank() ? null : inputs.raw("errorCode"),
                inputs.raw("status").equals(DeliveryStatus.OPEN.name()),
                inputs.filters(List.of("after")).after());
    }

    GroupSelection after(Place last) {
        return new GroupSelection(handlerId, errorCode, retrying, last);
    }

    GroupSelection fromBeginning() {
        return new GroupSelection(handlerId, errorCode, retrying, null);
    }

    /** Refuses open deliveries of any error: those that only wait behind another, or for their first attempt, have not failed. */
    DeliverySelection deliveries() {
        if (retrying && errorCode == null) {
            throw new InvalidOperationException("the deliveries that are retried need an error code: others only wait");
        }
        DeliverySelection all = DeliverySelection.all()
                .ofHandler(handlerId)
                .withStatus(retrying ? DeliveryStatus.OPEN : DeliveryStatus.DEAD);
        DeliverySelection failed = errorCode == null ? all : all.withErrorCode(errorCode);
        return place == null ? failed : failed.after(place.id(), place.handlerId());
    }

    Map<String, ?> parameters() {
        Map<String, @Nullable Object> parameters = new HashMap<>();
        parameters.put("handler", handlerId);
        parameters.put("errorCode", errorCode);
        if (retrying) {
            parameters.put("status", DeliveryStatus.OPEN);
        }
        if (place != null) {
            parameters.put("after", RequestFilters.next(place));
        }
        return parameters;
    }
}
