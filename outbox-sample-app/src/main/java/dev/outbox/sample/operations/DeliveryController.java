package dev.outbox.sample.operations;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import jakarta.validation.Valid;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Due, waiting and dead deliveries over HTTP. */
@RestController
@RequestMapping("/operations")
final class DeliveryController {

    private static final int LARGEST_PAGE = 1000;

    private final OutboxOperations operations;

    DeliveryController(OutboxOperations operations) {
        this.operations = operations;
    }

    /** Returns deliveries, oldest first. The next page begins after the event id and handler of the last delivery of this page. */
    @GetMapping("/deliveries")
    List<Delivery> find(
            DeliveryFilter filter,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable Long afterId,
            @RequestParam(defaultValue = "") String afterHandler) {
        DeliverySelection selection = filter.selection();
        return operations.find(
                afterId == null ? selection : selection.after(afterId, afterHandler), Math.min(limit, LARGEST_PAGE));
    }

    @GetMapping("/deliveries/count")
    Count count(DeliveryFilter filter) {
        return new Count(operations.count(filter.selection()));
    }

    /** Retries deliveries in order, as if they had never failed. */
    @PostMapping("/retry")
    Changed retry(@Valid @RequestBody DeliveryCommand request, @Nullable Principal login) {
        return operations.retry(request.selection(), Operator.of(login, request.by()), request.reason());
    }

    /** Removes deliveries for good. */
    @PostMapping("/skip")
    Changed skip(@Valid @RequestBody DeliveryCommand request, @Nullable Principal login) {
        return operations.skip(request.selection(), Operator.of(login, request.by()), request.reason());
    }

    record Count(long count) {}
}
