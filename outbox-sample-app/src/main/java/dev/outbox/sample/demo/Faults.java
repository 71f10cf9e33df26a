package dev.outbox.sample.demo;

import dev.outbox.sample.web.NotFoundException;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Injected faults, stored in the database so that every process applies them. */
@Component
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

    /** Replaces the fault of a handler. */
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

    List<HandlerFault> ofHandlers() {
        return jdbc.sql(OF_HANDLERS).query(HandlerFault.class).list();
    }

    /** Starts or ends the outage of a gateway. */
    void turn(GatewayFault gateway) {
        int found = jdbc.sql(TURN)
                .param("name", gateway.name())
                .param("fault", gateway.fault().name())
                .update();
        if (found == 0) {
            throw new NotFoundException("gateway that can be " + gateway.fault(), gateway.name());
        }
    }

    List<GatewayFault> gateways() {
        return jdbc.sql(GATEWAYS).query(GatewayFault.class).list();
    }

    @Transactional
    void end() {
        jdbc.sql(REMOVE_ALL).update();
        jdbc.sql(END_ALL).update();
    }
}
