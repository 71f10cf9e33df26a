package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.util.Optional;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContextManager;

class MissingBeanAdviceTest {

    private static final String TESTER =
            "No qualifying bean of type 'dev.outbox.test.OutboxTester' available: add @AutoConfigureOutbox to the test class";

    @SpringBootTest(classes = Empty.class)
    static class WithoutAnnotation {

        @Autowired
        private OutboxTester outbox;
    }

    @ContextConfiguration(classes = Empty.class)
    static class WithoutBoot {

        @Autowired
        private OutboxTester outbox;
    }

    @SpringBootTest(classes = Empty.class)
    static class Optionally {

        @Autowired(required = false)
        private OutboxTester outbox;

        @Autowired
        private ObjectProvider<OutboxTester> provider;
    }

    @Configuration
    static class Empty {}

    @OutboxTest({Orders.class, Mail.class})
    static class WithoutWarehouse {

        @Autowired
        private Warehouse warehouse;
    }

    @OutboxTest({Orders.class, Mail.class})
    static class WithoutImplementation {

        @Autowired
        private Courier courier;
    }

    @OutboxTest({Orders.class, Mail.class})
    static class OptionalWarehouse {

        @Autowired
        private Optional<Warehouse> warehouse;

        @Autowired
        private ObjectProvider<Courier> couriers;
    }

    @OutboxTest(Warehouse.class)
    static class WarehouseWithoutOrders {}

    interface Courier {}

    @OutboxTest({Orders.class, Mail.class})
    @Import(Couriers.class)
    static class WithImplementation {

        @Autowired
        private Courier courier;
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Couriers implements Courier {}

    @Test
    void testWithoutOutboxIsToldTheAnnotation() {
        assertInjectionFails(new WithoutAnnotation()).hasMessage(TESTER);
        assertInjectionFails(new WithoutBoot()).hasMessage(TESTER);
    }

    @Test
    void parametersAreToldTheAnnotation() throws Exception {
        DefaultListableBeanFactory beans = (DefaultListableBeanFactory) new TestContextManager(WithoutAnnotation.class)
                .getTestContext()
                .getApplicationContext()
                .getAutowireCapableBeanFactory();

        assertThatThrownBy(() -> beans.createBean(Drainer.class)).rootCause().hasMessage(TESTER);
    }

    static class Drainer {

        Drainer(OutboxTester outbox) {}
    }

    @Test
    void sliceIsToldTheComponentThatItLeavesOut() {
        assertInjectionFails(new WithoutWarehouse())
                .hasMessage(
                        "No qualifying bean of type 'dev.outbox.test.shop.Warehouse' available: @OutboxTest includes only"
                                + " the components that its value names: add Warehouse.class to @OutboxTest({...}), or add the"
                                + " configuration that declares it with @Import");
        assertInjectionFails(new WithoutImplementation())
                .hasMessageContaining("add the component that implements Courier to @OutboxTest({...})");
        assertInjectionFails(new WarehouseWithoutOrders())
                .hasMessageContaining("add Orders.class to @OutboxTest({...})");
    }

    @Test
    void optionalAndPresentBeansNeedNoAdvice() throws Exception {
        Optionally optionally = inject(new Optionally());
        assertThat((Object) optionally.outbox).isNull();
        assertThat((Object) optionally.provider.getIfAvailable()).isNull();
        OptionalWarehouse slice = inject(new OptionalWarehouse());
        assertThat(slice.warehouse).isEmpty();
        assertThat(slice.couriers.getIfAvailable()).isNull();
        assertThat(inject(new WithImplementation()).courier).isInstanceOf(Couriers.class);
    }

    private static AbstractThrowableAssert<?, ?> assertInjectionFails(Object test) {
        return assertThatThrownBy(() -> inject(test)).rootCause();
    }

    private static <T> T inject(T test) throws Exception {
        new TestContextManager(test.getClass()).prepareTestInstance(test);
        return test;
    }
}
