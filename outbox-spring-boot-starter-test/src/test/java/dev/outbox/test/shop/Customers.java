package dev.outbox.test.shop;

import org.springframework.data.jpa.repository.JpaRepository;

interface Customers extends JpaRepository<Customer, String> {}
