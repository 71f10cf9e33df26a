package dev.outbox.sample.demo;

import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Injected faults, over HTTP. Stored in the database, so that every process applies them. */
@RestController
@RequestMapping("/demo/faults")
@ConditionalOnBooleanProperty("demo.enabled")
class Faults {

    private static final String IS_HANDLER = """
            SELECT EXISTS (SELECT 1
                             FROM events.outbox_handler
                            WHERE id = :handlerId)
            """;

    private static final String PUT = """
            INSERT INTO demo.handler_faults (handler_id, fail_percent, slow_millis, hang)
            VALUES (:handlerId, :failPercent, :slowMillis, :hang)
            ON CONFLICT (handler_id) DO UPDATE
               SET fail_percent = excluded.fail_percent, slow_millis = excluded.slow_millis, hang = excluded.hang
            """;

    private static final String REMOVE = """
            DELETE FROM demo.handler_faults
             WHERE handler_id = :handlerId
            """;

    private static final String OF_HANDLER = """
            SELECT handler_id, fail_percent, slow_millis, hang
              FROM demo.handler_faults
             WHERE handler_id = :handlerId
            """;

    private static final String OF_HANDLERS = """
            SELECT handler_id, fail_percent, slow_millis, hang
              FROM demo.handler_faults
             ORDER BY handler_id
            """;

    private static final String REMOVE_ALL = "DELETE FROM demo.handler_faults";

    private static final String TURN = """
            UPDATE demo.gateways
               SET fault = :fault
             WHERE name = :name
               AND (:fault IN ('NONE', 'DOWN') OR name = 'bank' OR name IN ('courier', 'discord') AND :fault = 'LOSE_ANSWER')
            """;

    private static final String GATEWAYS = """
            SELECT name, fault
              FROM demo.gateways
             ORDER BY name
            """;

    private static final String END_ALL = """
            UPDATE demo.gateways
               SET fault = 'NONE'
             WHERE fault <> 'NONE'
            """;

    private final JdbcClient jdbc;

    Faults(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Sets the fault of a handler. A missing parameter means no fault. */
    @PostMapping("/handlers/{id}")
    HandlerFault handler(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") @Min(0) @Max(100) int failPercent,
            @RequestParam(defaultValue = "0") @Min(0) @Max(600_000) int slowMillis,
            @RequestParam(defaultValue = "false") boolean hang) {
        HandlerFault fault = new HandlerFault(id, failPercent, slowMillis, hang);
        put(fault);
        return fault;
    }

    void put(HandlerFault fault) {
        if (!jdbc.sql(IS_HANDLER)
                .param("handlerId", fault.handlerId())
                .query(Boolean.class)
                .single()) {
            throw new NotFoundException("handler", fault.handlerId());
        }
        if (fault.isNone()) {
            jdbc.sql(REMOVE).param("handlerId", fault.handlerId()).update();
        } else {
            jdbc.sql(PUT).paramSource(fault).update();
        }
    }

    Optional<HandlerFault> ofHandler(String handlerId) {
        return jdbc.sql(OF_HANDLER)
                .param("handlerId", handlerId)
                .query(HandlerFault.class)
                .optional();
    }

    /** Starts or ends the outage of a gateway. */
    @PostMapping("/gateways/{name}")
    GatewayFault gateway(@PathVariable String name, @RequestParam Outage fault) {
        if (jdbc.sql(TURN).param("name", name).param("fault", fault.name()).update() == 0) {
            throw new NotFoundException("gateway that can be " + fault, name);
        }
        return new GatewayFault(name, fault);
    }

    @GetMapping
    AllFaults all() {
        return new AllFaults(
                jdbc.sql(OF_HANDLERS).query(HandlerFault.class).list(),
                jdbc.sql(GATEWAYS).query(GatewayFault.class).list());
    }

    @Transactional
    @DeleteMapping
    AllFaults end() {
        jdbc.sql(REMOVE_ALL).update();
        jdbc.sql(END_ALL).update();
        return all();
    }

    record AllFaults(List<HandlerFault> handlers, List<GatewayFault> gateways) {}
}
