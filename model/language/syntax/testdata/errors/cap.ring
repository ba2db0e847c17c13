protocol p
param
param
param
param
param
param
param
param
param
param
param
param
