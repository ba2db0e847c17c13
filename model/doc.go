// Package model is the interface between protocols and everything that explores them.
package model
