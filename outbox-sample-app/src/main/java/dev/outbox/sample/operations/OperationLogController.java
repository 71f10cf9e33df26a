package dev.outbox.sample.operations;

import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The operation log over HTTP. */
@RestController
final class OperationLogController {

    private static final int LARGEST_PAGE = 1000;

    private final OutboxOperations operations;

    OperationLogController(OutboxOperations operations) {
        this.operations = operations;
    }

    /** Returns operations, latest first. The next page begins after the last operation of this page. */
    @GetMapping("/operations/log")
    List<Operation> log(OperationFilter filter, @RequestParam(defaultValue = "100") int limit) {
        return operations.operations(filter.selection(), Math.min(limit, LARGEST_PAGE));
    }

    record OperationFilter(
            @Nullable UUID eventId,
            @Nullable String handler,
            @Nullable String by,
            @Nullable Long olderThan) {

        OperationSelection selection() {
            return new OperationSelection(eventId, handler, by, null, null, olderThan);
        }
    }
}
