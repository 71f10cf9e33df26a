package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

@ExtendWith(OutputCaptureExtension.class)
@OutboxTest({Orders.class, Warehouse.class})
class OrdersTest {

    @Test
    void orderIsShippedWithoutOperations(
            @Autowired Orders orders,
            @Autowired Warehouse warehouse,
            @Autowired OutboxTester outbox,
            @Autowired ApplicationContext context,
            CapturedOutput output) {
        orders.place("1", "lamp");

        outbox.drain();

        assertThat(outbox).published(OrderPlaced.class).forAggregate("order", "1").handledBy("warehouse");
        assertThat(warehouse.shipped).containsExactly(new OrderPlaced("lamp", 1));
        assertThat(ClassUtils.isPresent("dev.outbox.operations.OutboxOperations", context.getClassLoader()))
                .isFalse();
        assertThat(output).containsOnlyOnce("Without dev.outbox:outbox-operations, dead letters can only be handled by SQL");
    }
}
